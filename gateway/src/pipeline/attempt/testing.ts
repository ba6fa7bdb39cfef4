/** Attempts against a provider that answers from a list, for the tests beside the source; programs do not import it. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { fakeRequest, KEY, key, provider, snapshot, workspace } from '@gatehouse/test/kit';
import { createMemoryCacheStore, createMemoryVectors, createResponseCache } from '../../cache/index.ts';
import { type ByteBudget, createByteBudget } from '../../lib/byte-budget.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { createRegexScheduler } from '../../lib/regex.ts';
import { createMemoryLimiter, type Limiter } from '../../limits/index.ts';
import { sampleServices } from '../../providers/engine/testing.ts';
import { PROVIDERS } from '../../providers/register.ts';
import { walkPlan } from '../../routing/index.ts';
import { createSnapshotHolder, type ManagedProvider, type SnapshotView } from '../../snapshot/index.ts';
import { createStoreBreaker } from '../../store/index.ts';
import { createHostPolicy } from '../../upstream/host-guard/index.ts';
import { BodyRelay, type UpstreamClient, type UpstreamRequest } from '../../upstream/index.ts';
import { type Adapter, createAdapters } from '../adapters/index.ts';
import { CallBudget } from '../call-budget.ts';
import type { Exchange } from '../exchange.ts';
import {
  createAnswerHooks,
  createGuardrailWatch,
  createRequestHooks,
  type GuardrailPorts,
} from '../guardrails/index.ts';
import { identify } from '../identify.ts';
import { OPERATIONS, type Operation } from '../operations/index.ts';
import { readBody } from '../read-body.ts';
import { createResolver } from '../resolve/index.ts';
import { limitPorts } from '../testing.ts';
import {
  type AnswerCheck,
  type AttemptInput,
  type AttemptOutcome,
  type AttemptPorts,
  attemptTarget,
  type InputCheck,
} from './index.ts';

const NOW = Date.UTC(2026, 0, 1);
const hosts = createHostPolicy({ trustedCustomHosts: undefined, production: true });
const resolver = createResolver({ providers: PROVIDERS, hosts, caps: DEFAULT_TARGET_CAPS, savedConfigsOnly: false });

const holder = createSnapshotHolder({ providers: PROVIDERS });
await holder.load(
  1,
  snapshot(
    workspace(),
    key(),
    provider('first'),
    provider('second'),
    provider('narrow', { models: ['m'] }),
    provider('claude', { provider: 'anthropic' }),
  ),
);
const view = holder.current;
if (view === undefined) throw new Error(holder.status.rejected?.reason);
export const world: SnapshotView = view;

/** The same Snapshot with a member of each account replaced. */
export const viewWith = (over: Partial<ManagedProvider>): SnapshotView => ({
  ...world,
  provider: (name, slug) => {
    const record = world.provider(name, slug);
    return record === undefined ? undefined : { ...record, ...over };
  },
});

export const PASS = { kind: 'pass' } as const;
export const chat = (content: string): object => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
export const message = (text: string): object => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

export interface Given {
  readonly inputChecks?: readonly InputCheck[];
  readonly answerChecks?: readonly AnswerCheck[];
  /** Bodies: an object is JSON, a text a stream of server-sent events. */
  readonly answers?: readonly (object | string)[];
  readonly adapters?: readonly Adapter[];
  readonly operation?: Operation;
  readonly snapshotView?: SnapshotView;
  readonly needsStreamUsage?: boolean;
  readonly limiter?: Limiter;
  /** What each request begins with. */
  readonly log?: AttemptInput['log'];
}

/** Answers with the bodies in turn, the last one again and again; `calls` gets the requests. */
const clientOf = (answers: readonly (object | string)[], calls: UpstreamRequest[]): UpstreamClient => ({
  send: async (request) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push(request);
    const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => {} });
    const isStream = typeof answer === 'string';
    body.push(Buffer.from(isStream ? answer : JSON.stringify(answer)));
    body.finish();
    return { status: 200, headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' }, body };
  },
  close: async () => {},
});

function guardrailPorts(budget: ByteBudget): GuardrailPorts {
  const ports = {
    servicesFor: () => sampleServices(),
    openMemory: () => budget.open(),
    regexTurn: createRegexScheduler(),
    json: DEFAULT_JSON_LIMITS,
    maxHeldBytes: 1_000_000,
    now: () => NOW,
    random: () => 0.5,
  };
  return { ...ports, watch: createGuardrailWatch({ ports, onEnd: () => {}, onDropped: () => {} }) };
}

/** No operation here leaves HTTP. */
const NO_CONNECTIONS = {
  limits: { headersTimeoutMs: 0, idleTimeoutMs: 0 },
  upgrades: { upgrade: () => Promise.reject(new Error('a connection was asked for')) },
  connectTimeoutMs: 0,
};

const now = (): number => NOW;

const cacheInMemory = (): AttemptPorts['cache'] =>
  createResponseCache({
    store: createMemoryCacheStore({ now }),
    storeBreaker: createStoreBreaker({ onError: () => {}, now }),
  });

/** The vectors of prompts cannot be had. */
const NO_VECTORS: AttemptPorts['semantic'] = {
  vectors: createMemoryVectors({ now, maxBytes: 1_000_000 }),
  embed: async () => undefined,
};

const NOTHING_KEPT = {
  ownResources: { content: () => Promise.reject(new Error('nothing is kept')) },
  rowMarks: { read: async () => 0, claim: async () => true },
  followed: { add: async () => undefined, has: async () => false },
};

/** A gateway whose providers answer with the bodies in turn, the last one again and again. */
export function gateway({
  inputChecks,
  answerChecks,
  answers = [chat('hi')],
  snapshotView = world,
  adapters = [],
  operation = OPERATIONS.chatComplete,
  needsStreamUsage = false,
  limiter = createMemoryLimiter(),
  log = {},
}: Given) {
  const calls: UpstreamRequest[] = [];
  const tasks: (() => void)[] = [];
  const budget = createByteBudget(1_000_000);
  const guardrails = guardrailPorts(budget);
  const ports: AttemptPorts = {
    client: clientOf(answers, calls),
    ...NO_CONNECTIONS,
    maxResponseBytes: 1_000_000,
    json: DEFAULT_JSON_LIMITS,
    sleep: async () => {},
    providers: PROVIDERS,
    hosts,
    servicesFor: () => sampleServices(),
    guardrails,
    ...NOTHING_KEPT,
    cache: cacheInMemory(),
    semantic: NO_VECTORS,
    inputChecks: inputChecks ?? [createRequestHooks(guardrails)],
    answerChecks: answerChecks ?? [createAnswerHooks(guardrails)],
    adapters: createAdapters(adapters),
    needsStreamUsage: () => needsStreamUsage,
    ...limitPorts({ limiter }),
    gatewayName: 'gateway',
    now,
  };

  const ask = async (
    config: object,
    body: object = {},
    signal: CancelSignal = new Cancellation(),
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const own = { 'x-gw-api-key': KEY, 'x-gw-config': JSON.stringify(config), 'content-type': 'application/json' };
    const request = fakeRequest({
      headers: { ...own, ...headers },
      body: { model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body },
    });
    const exchange: Exchange = {
      operation,
      request,
      snapshot: snapshotView,
      signal,
      atEnd: (task) => void tasks.push(task),
      memory: budget.open(),
      startedMs: 0,
      trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined },
    };
    const caller = await identify(request, snapshotView);
    const resolution = resolver.resolve(exchange, caller, await readBody(exchange));
    const input = { exchange, caller, resolution, calls: new CallBudget(10), tried: [], log: { ...log } };
    const outcome = await walkPlan<AttemptOutcome>(resolution.plan.root, {
      facts: () => ({ metadata: {}, params: {}, pathname: '/', work: { left: 1, nextSlice: async () => {} } }),
      random: () => 0,
      open: new Set(),
      stick: async (_plan, _branch, draw) => draw(undefined),
      attempt: (leaf) => attemptTarget(ports, input, leaf),
      repeatable: () => true,
      abandon: () => {},
    });
    if (outcome.body.kind === 'bytes') {
      outcome.store?.push(outcome.body.bytes);
      outcome.store?.commit();
    }
    return { ...outcome, text: outcome.body.kind === 'bytes' ? outcome.body.bytes.toString() : '' };
  };
  const end = (): void => tasks.splice(0).forEach((task) => void task()); // the requests end
  return { ask, calls, budget, end, ports, sentBody: (i: number) => JSON.parse(String(calls[i]?.body)) };
}
