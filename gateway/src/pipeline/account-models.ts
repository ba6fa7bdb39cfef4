/** Models that providers list for accounts without a list of their own, for the catalogue: docs/behaviour/requests.md. */
import { setTimeout } from 'node:timers/promises';
import { isObject } from '@gatehouse/crds';
import { LRUCache } from 'lru-cache';
import { type CancelSignal, cancelAfter } from '../lib/cancellation.ts';
import { compilePlan } from '../routing/index.ts';
import type { ManagedProvider } from '../snapshot/index.ts';
import { type AttemptInput, type AttemptPorts, attemptTarget } from './attempt/index.ts';
import { opensUpstream } from './authorize.ts';
import { CallBudget } from './call-budget.ts';
import type { Caller, ClientRequest, Exchange } from './exchange.ts';
import { parseAnswer } from './guardrails/index.ts';
import { type AccountModels, OPERATIONS, type ResolvedRequest } from './operations/index.ts';
import { HeaderOverrides } from './resolve/index.ts';

/** A list is younger than that where a provider can be called. */
const FRESH_MS = 5 * 60_000;
/** Until a provider that gave no list is asked again. */
const RETRY_MS = 60_000;
/** A request waits no longer for lists that are not there yet. */
const WAIT_MS = 3_000;
const CALL_MS = 20_000;
/** For one workspace, so that its slow hosts hold up no other. */
const MAX_CALLS_AT_ONCE = 4;
/** Accounts whose lists wait for a call; beyond it a later request asks. */
const MAX_WAITING = 10_000;
/** Of one account. */
const MAX_MODELS = 2_000;
const MAX_NAME_CHARS = 256;
/** Characters of the names of all accounts. */
const MAX_CHARS = 16 * 1024 * 1024;
/** What an entry takes beside its names. */
const ENTRY_CHARS = 128;
/** Pages of one list. */
const MAX_CALLS = 20;

interface Listed {
  readonly models: readonly string[];
  readonly nextAtMs: number;
}

/** `none`: the provider gave no list; `refused`: limits of the caller did not let it be asked. */
type List = readonly string[] | 'none' | 'refused';

/** One target: the account that is listed. */
const PLAN = compilePlan({}, { saved: undefined, credential: () => undefined });

export interface AccountModelsOptions {
  readonly attempts: AttemptPorts;
  /** Unix time in ms. */
  now(): number;
}

/** Lists are kept by account as the Snapshot has it: one that changes is listed anew. */
export function createAccountModels({ attempts, now }: AccountModelsOptions): AccountModels {
  const kept = new LRUCache<ManagedProvider, Listed>({ maxSize: MAX_CHARS, sizeCalculation: sizeOf });
  const loads = new Map<ManagedProvider, Promise<void>>();
  const turn = createTurns(MAX_CALLS_AT_ONCE);

  const keep = (account: ManagedProvider, listed: List): void => {
    if (listed === 'refused') return; // of this caller, not of the next one
    const before = kept.get(account)?.models ?? [];
    const models = listed === 'none' ? before : listed;
    kept.set(account, { models, nextAtMs: now() + (listed === 'none' ? RETRY_MS : FRESH_MS) });
  };
  const load = async (account: ManagedProvider, request: ResolvedRequest): Promise<void> => {
    try {
      const { name } = request.caller.workspace;
      await turn(name, async () =>
        keep(account, await listOf(attempts, account, request).catch(() => 'none' as const)),
      );
    } finally {
      loads.delete(account);
    }
  };
  const refresh = (account: ManagedProvider, request: ResolvedRequest): void => {
    const isFresh = now() < (kept.get(account)?.nextAtMs ?? 0);
    if (isFresh || loads.has(account) || loads.size >= MAX_WAITING) return;
    loads.set(account, load(account, request));
  };
  return {
    of: (account) => kept.get(account)?.models ?? [],
    prepare: (accounts, request) => {
      const open = accounts.filter(isOpen);
      if (open.length === 0 || !opensUpstream(request.caller, OPERATIONS.listModels)) return undefined;
      for (const account of open) refresh(account, request);
      const missing = open.flatMap((account) => (kept.has(account) ? [] : (loads.get(account) ?? [])));
      return missing.length === 0 ? undefined : atMost(WAIT_MS, Promise.all(missing));
    },
  };
}

/** Its provider has a list, and the account takes all of it. */
const isOpen = ({ models, provider, needsFleet }: ManagedProvider): boolean =>
  models === undefined && provider.models !== undefined && !needsFleet;

const sizeOf = ({ models }: Listed): number =>
  models.reduce((sum, model) => sum + model.length, ENTRY_CHARS + models.length);

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([work, setTimeout(ms, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
}

/** Runs so many pieces of work of a workspace at once, in the order in which they came. */
function createTurns(most: number): (workspace: string, work: () => Promise<void>) => Promise<void> {
  const lanes = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (workspace, work) => {
    const lane = lanes.get(workspace) ?? { running: 0, waiting: [] };
    lanes.set(workspace, lane);
    if (lane.running >= most) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    try {
      await work();
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else lane.running -= 1;
      if (lane.running === 0) lanes.delete(workspace);
    }
  };
}

/** Answers of limits and budgets. */
const REFUSALS: ReadonlySet<number> = new Set([412, 429]);

async function listOf(ports: AttemptPorts, account: ManagedProvider, request: ResolvedRequest): Promise<List> {
  const memory = ports.guardrails.openMemory();
  const tasks: (() => void)[] = [];
  try {
    const exchange = {
      ...exchangeOf(request.exchange, cancelAfter(CALL_MS)),
      ...{ memory, atEnd: (task: () => void) => void tasks.push(task) },
    };
    if (PLAN.root.kind !== 'leaf') throw new Error('a plan without strategy is one target');
    const outcome = await attemptTarget(
      ports,
      inputOf(ports, { account, caller: request.caller, exchange }),
      PLAN.root,
    );
    const { body, hold, status, error, calls } = outcome;
    hold?.settle({ status, usage: undefined, cost: undefined });
    if (body.kind === 'stream') body.upstream.discard();
    if (calls === 0 && REFUSALS.has(status)) return 'refused';
    if (body.kind === 'stream' || error !== undefined || status !== 200) return 'none';
    return idsOf(parseAnswer(body.bytes, ports.json)) ?? 'none';
  } finally {
    for (const task of tasks) task();
    memory.close();
  }
}

function idsOf(answer: Readonly<Record<string, unknown>> | undefined): readonly string[] | undefined {
  const data = answer?.['data'];
  if (!Array.isArray(data)) return undefined;
  const ids = data.map((entry: unknown) => (isObject(entry) ? entry['id'] : undefined));
  return [...new Set(ids.filter(isName))].slice(0, MAX_MODELS);
}

const isName = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= MAX_NAME_CHARS;

interface Listing {
  readonly account: ManagedProvider;
  readonly caller: Caller;
  readonly exchange: Exchange;
}

/** The account, and nothing else of the request: neither its config nor its headers. */
const inputOf = ({ hosts }: AttemptPorts, { account, caller, exchange }: Listing): AttemptInput => ({
  exchange,
  caller: { ...caller, credential: undefined },
  resolution: {
    plan: PLAN,
    body: { kind: 'none' },
    params: {},
    metadata: {},
    requestProvider: { kind: 'managed', record: account },
    headerOverrides: new HeaderOverrides(exchange.request, hosts),
  },
  calls: new CallBudget(MAX_CALLS),
  tried: [],
  log: {},
});

/** An exchange with a client that sends no header, and does not go away. */
const exchangeOf = ({ snapshot, startedMs, trace }: Exchange, signal: CancelSignal) => ({
  ...{ operation: OPERATIONS.listModels, request: REQUEST, snapshot, startedMs, trace, signal },
});

const REQUEST: ClientRequest = {
  method: 'GET',
  path: '/v1/models',
  query: '',
  route: {},
  header: () => undefined,
  headers: () => [],
  checkLength: () => {},
  readBody: () => Promise.resolve({ kind: 'none' }),
};
