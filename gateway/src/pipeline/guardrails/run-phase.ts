/** The hooks of a target, run on its request or on an answer. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import {
  type CheckTools,
  type CompiledHook,
  type GivenPlaceholders,
  type HookPhaseResult,
  runHooks,
  type SubjectFacts,
  type ToolsFor,
} from '../../guardrails/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import { type Deferred, lastly } from '../../lib/deferred.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Prepared } from '../attempt/index.ts';
import { ClientFacts } from './client-facts.ts';
import type { GuardrailPorts } from './ports.ts';
import type { GuardrailTrail, RunWork } from './trail.ts';

export interface Phase {
  readonly hooks: readonly CompiledHook[];
  readonly trail: GuardrailTrail;
  /** Ends with whatever waits for the hooks. */
  readonly signal: CancelSignal;
  /** In the client's format; undefined: the hooks look at the request. */
  readonly response: JsonObject | undefined;
  /** Where the response is a piece of a stream. */
  readonly given?: GivenPlaceholders | undefined;
}

/** Never rejects. */
export function runPhase(ports: GuardrailPorts, prepared: Prepared, phase: Phase): Deferred<HookPhaseResult> {
  const { hooks, trail, signal, response, given } = phase;
  const facts = subjectFacts(prepared, response);
  const memory = ports.openMemory();
  const work = trail.openWork(facts.phase, { isOnly: isOnlyRun(prepared, phase) });
  return lastly(
    () => runHooks(hooks, facts, toolsOf(ports, prepared, { work, signal, memory, given })),
    () => {
      work.close();
      memory.close();
    },
  );
}

/** Whether no other target, try or window of the request can follow. */
function isOnlyRun({ input, settings }: Prepared, { response, given }: Pick<Phase, 'response' | 'given'>): boolean {
  if (input.resolution.plan.leafCount > 1) return false;
  return response === undefined || (settings.retry.maxRetries === 0 && given === undefined);
}

export function subjectFacts(
  { input, provider, params, call, guards }: Prepared,
  response: JsonObject | undefined,
): SubjectFacts {
  const { exchange, caller, resolution } = input;
  const phase: CheckPhase = response === undefined ? 'input' : 'output';
  return {
    phase,
    requestType: guards?.hooks.checkedAs ?? 'proxy',
    provider: provider.id,
    metadata: resolution.metadata,
    isStream: call.stream,
    request: params,
    response,
    responseStatus: response === undefined ? undefined : 200,
    requestTransformed: guards?.inputTransformed === true,
    client: new ClientFacts(exchange, caller),
    traceId: exchange.trace.traceId,
  };
}

/** What the tools of a phase are made of. */
export interface ToolParts {
  readonly work: RunWork;
  readonly signal: CancelSignal;
  readonly memory: ByteAccount;
  readonly given?: GivenPlaceholders | undefined;
}

export function toolsOf(ports: Omit<GuardrailPorts, 'watch'>, { input }: Prepared, parts: ToolParts): ToolsFor {
  const { work, signal, memory, given } = parts;
  const { name } = input.caller.workspace;
  const { ask } = ports;
  const asking =
    ask && ({ ask: (question, options) => ask(input, question, options) } satisfies Pick<CheckTools, 'ask'>);
  return (hook): CheckTools => {
    let opened: ReturnType<GuardrailPorts['servicesFor']> | undefined; // few checks call anything
    const services = () => (opened ??= ports.servicesFor(hook.scope, memory));
    const owner = typeof hook.scope === 'string' ? hook.scope : 'reach';
    return {
      signal,
      regex: work.of(hook),
      nextSlice: ports.regexTurn,
      fetch: (request, options) => services().fetch(request, options),
      // Whoever may reach fewer hosts does not get what others have fetched.
      cached: (key, make) => services().cached(`${name} ${owner} ${key}`, make),
      // The identity of the gateway's own pod is the organisation's, and no grant names guardrails.
      cloud: { env: (setting) => services().env(setting), ownIdentity: false },
      ...asking,
      ...(given === undefined ? {} : { given }),
      now: ports.now,
      random: ports.random,
    };
  };
}
