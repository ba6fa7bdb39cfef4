/** Calls of a sidecar to its fleet: what is asked while one is under way travels together in the next. */
import type { FleetAddress, FleetLink } from '../fleet/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { StoreUnavailable, type UnavailableReason } from '../store/index.ts';
import type { UpstreamResponse } from '../upstream/index.ts';
import {
  COUNTERS_PATH,
  type CountersReply,
  type CountersRequest,
  countersReply,
  MAX_BYTES,
  MAX_ITEMS,
  type WireAddition,
  type WireAsk,
  type WireAskReply,
  type WireSync,
  type WireSyncReply,
} from './protocol.ts';

export interface CallOptions {
  readonly link: Pick<FleetLink, 'send'>;
  /** Undefined: there is no fleet. */
  address(): FleetAddress | undefined;
  /** Longest wait for the fleet in ms. */
  readonly timeoutMs: number;
}

/** All reject with StoreUnavailable. */
export interface Calls {
  ask(ask: WireAsk): Promise<WireAskReply>;
  /** Resolves when the fleet has got it. */
  add(additions: readonly WireAddition[]): Promise<void>;
  sync(budgets: readonly WireSync[]): Promise<readonly WireSyncReply[]>;
  /** Whether the fleet answers. */
  probe(): Promise<void>;
}

/** Between the starts of two calls, in ms: the fleet bounds the calls of a pod. */
const MIN_GAP_MS = 5;
/** Further ones fail at once. */
const MAX_WAITING = 10_000;

type Item =
  | { readonly kind: 'ask'; readonly ask: WireAsk }
  | { readonly kind: 'add'; readonly addition: WireAddition }
  | { readonly kind: 'sync'; readonly budget: WireSync }
  | { readonly kind: 'probe' };

interface Waiting {
  readonly item: Item;
  readonly sinceMs: number;
  resolve(reply: WireAskReply | WireSyncReply | undefined): void;
  reject(error: StoreUnavailable): void;
}

export function createCalls(options: CallOptions): Calls {
  const { timeoutMs } = options;
  let waiting: Waiting[] = [];
  let isPlanned = false;
  let lastStartMs = Number.NEGATIVE_INFINITY;

  const put = (item: Item): Promise<WireAskReply | WireSyncReply | undefined> => {
    if (waiting.length >= MAX_WAITING) return Promise.reject(new StoreUnavailable('busy'));
    return new Promise((resolve, reject) => {
      waiting.push({ item, sinceMs: performance.now(), resolve, reject });
      plan();
    });
  };
  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    const restMs = lastStartMs + MIN_GAP_MS - performance.now();
    if (restMs <= 0) setImmediate(() => void run());
    else setTimeout(() => void run(), restMs);
  };
  /** Never rejects. */
  const run = async (): Promise<void> => {
    lastStartMs = performance.now();
    const [batch, rest] = splitBatch(waiting);
    waiting = rest;
    try {
      const reply = await exchange(options, toRequest(batch));
      answer(batch, reply);
    } catch (error) {
      const failure = error instanceof StoreUnavailable ? error : new StoreUnavailable('failed', error);
      for (const { reject } of batch) reject(failure);
      const latest = performance.now() - timeoutMs;
      const late = waiting.filter(({ sinceMs }) => sinceMs < latest);
      waiting = waiting.filter(({ sinceMs }) => sinceMs >= latest);
      for (const { reject } of late) reject(new StoreUnavailable('busy')); // not sent at all
    }
    isPlanned = false;
    if (waiting.length > 0) plan();
  };

  return {
    ask: async (ask) => (await put({ kind: 'ask', ask })) as WireAskReply, // the reply to its kind
    add: async (additions) => {
      await Promise.all(additions.map((addition) => put({ kind: 'add', addition })));
    },
    sync: async (budgets) =>
      (await Promise.all(budgets.map((budget) => put({ kind: 'sync', budget })))) as WireSyncReply[], // as above
    probe: async () => {
      await put({ kind: 'probe' });
    },
  };
}

/** The first ones, as far as one call has room for them. */
function splitBatch(waiting: readonly Waiting[]): [Waiting[], Waiting[]] {
  const counts = { ask: 0, add: 0, sync: 0, probe: 0 };
  let bytes = 1_000;
  let at = 0;
  for (const { item } of waiting) {
    bytes += sizeOf(item);
    counts[item.kind] += 1;
    if (at > 0 && (bytes > MAX_BYTES || counts[item.kind] > MAX_ITEMS)) break;
    at += 1;
  }
  return [waiting.slice(0, at), waiting.slice(at)];
}

/** Of its JSON at most: three bytes for a character of a name. */
function sizeOf(item: Item): number {
  switch (item.kind) {
    case 'ask':
      return item.ask.demands.reduce((sum, { subject }) => sum + 150 + 3 * subject.length, 20);
    case 'add':
      return 150 + 3 * item.addition.subject.length;
    case 'sync':
      return 500 + 3 * item.budget.id.length;
    case 'probe':
      return 0;
  }
}

function toRequest(batch: readonly Waiting[]): CountersRequest {
  const request: CountersRequest = { asks: [], additions: [], budgets: [] };
  for (const { item } of batch) {
    if (item.kind === 'ask') request.asks.push(item.ask);
    else if (item.kind === 'add') request.additions.push(item.addition);
    else if (item.kind === 'sync') request.budgets.push(item.budget);
  }
  return request;
}

async function exchange({ link, address, timeoutMs }: CallOptions, request: CountersRequest): Promise<CountersReply> {
  const to = address();
  if (to === undefined) throw new StoreUnavailable('disconnected');
  const cancellation = new Cancellation();
  const timer = setTimeout(() => cancellation.cancel(new StoreUnavailable('timeout')), timeoutMs);
  try {
    const body = Buffer.from(JSON.stringify(request));
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const response = await link.send(to, { method: 'POST', path: COUNTERS_PATH, headers, body }, cancellation);
    const reply = await read(response);
    if (reply.asks.length === request.asks.length && reply.budgets.length === request.budgets.length) return reply;
    throw new StoreUnavailable('failed');
  } finally {
    clearTimeout(timer);
  }
}

const MAX_REPLY_BYTES = 4 * 1024 * 1024;

async function read({ status, body }: UpstreamResponse): Promise<CountersReply> {
  if (status !== 200) {
    body.discard();
    throw new StoreUnavailable(REASONS.get(status) ?? (status < 500 ? 'refused' : 'failed'));
  }
  const memory = createByteBudget(MAX_REPLY_BYTES).open();
  const bytes = await body.collect(MAX_REPLY_BYTES, memory);
  return countersReply.parse(JSON.parse(bytes.toString('utf8')));
}

const REASONS: ReadonlyMap<number, UnavailableReason> = new Map([[429, 'busy']]);

function answer(batch: readonly Waiting[], { asks, budgets }: CountersReply): void {
  let [ask, sync] = [0, 0];
  for (const { item, resolve } of batch) {
    if (item.kind === 'ask') {
      resolve(asks[ask]);
      ask += 1;
    } else if (item.kind === 'sync') {
      resolve(budgets[sync]);
      sync += 1;
    } else {
      resolve(undefined);
    }
  }
}
