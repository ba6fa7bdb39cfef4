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

export function toolsOf(ports: Omit<GuardrailPorts, 'watch'>, prepared: Prepared, parts: ToolParts): ToolsFor {
  const { work, signal, given } = parts;
  const { regexTurn: nextSlice, now, random } = ports;
  return (hook): CheckTools => {
    const own = { signal, regex: work.of(hook), nextSlice, now, random, ...NO_CALLS };
    const tools: CheckTools = given === undefined ? own : { ...own, given };
    return hook.callsOut
      ? { ...tools, ...callsOf(ports, prepared, { scope: hook.scope, memory: parts.memory }) }
      : tools;
  };
}

const notCalled = (): Promise<never> =>
  Promise.reject(new Error('only checks whose entry says that they call out may'));

const NO_CALLS: Calls = { fetch: notCalled, cached: notCalled };

type Calls = Pick<CheckTools, 'fetch' | 'cached' | 'cloud' | 'ask'>;

interface CallsOptions extends Pick<ToolParts, 'memory'> {
  readonly scope: CompiledHook['scope'];
}

/** The tools with which checks call something. */
function callsOf(ports: Omit<GuardrailPorts, 'watch'>, { input }: Prepared, { scope, memory }: CallsOptions): Calls {
  const { name } = input.caller.workspace;
  const { ask } = ports;
  let opened: ReturnType<GuardrailPorts['servicesFor']> | undefined; // not every check calls every time
  const services = () => (opened ??= ports.servicesFor(scope, memory));
  const owner = typeof scope === 'string' ? scope : 'reach';
  return {
    fetch: (request, options) => services().fetch(request, options),
    // Whoever may reach fewer hosts does not get what others have fetched.
    cached: (key, make) => services().cached(`${name} ${owner} ${key}`, make),
    // The identity of the gateway's own pod is the organisation's, and no grant names guardrails.
    cloud: { env: (setting) => services().env(setting), ownIdentity: false },
    ...(ask && { ask: (question, options) => ask(input, question, options) }),
  };
}
