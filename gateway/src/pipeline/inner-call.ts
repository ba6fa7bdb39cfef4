/** Calls to accounts that the gateway makes within a request, without guardrails: counted in the budgets of the account, in cost and in attempts. */
import { type AppError, toAppError } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import { type CountedAnswer, countWhole, type Settlement } from '../record/index.ts';
import { compilePlan } from '../routing/index.ts';
import type { JsonObject } from '../wire/contract.ts';
import {
  type AttemptInput,
  type AttemptOutcome,
  type AttemptPorts,
  attemptTarget,
  spentFacts,
} from './attempt/index.ts';
import type { ClientRequest, Exchange } from './exchange.ts';
import { parseAnswer } from './guardrails/index.ts';
import type { Operation } from './operations/index.ts';
import { HeaderOverrides, providerOfModel } from './resolve/index.ts';

export interface InnerCall {
  /** Of the request that causes the call; what the call uses is counted with it. */
  readonly input: AttemptInput;
  /** A POST with a JSON body, without checks. */
  readonly operation: Operation;
  /** `@provider/model`, an account that the caller of the request may use. */
  readonly model: string;
  /** The body for the model as its provider knows it. */
  bodyOf(model: string): JsonObject;
  readonly signal: CancelSignal;
}

export type InnerAnswer =
  | { readonly kind: 'answer'; readonly value: JsonObject | undefined; readonly usage: CountedAnswer['usage'] }
  /** There is no such account, or the caller may not use it. */
  | { readonly kind: 'no-account'; readonly message: string }
  | { readonly kind: 'failed'; readonly status: number; readonly error: AppError | undefined };

/** One target: the account of the call. */
const PLAN = compilePlan({}, { saved: undefined, credential: () => undefined });

/** Never rejects for what the account or its provider does. */
export async function callAccount(ports: AttemptPorts, call: InnerCall): Promise<InnerAnswer> {
  const memory = ports.guardrails.openMemory();
  const tasks: (() => void)[] = [];
  try {
    const own = { signal: call.signal, memory, atEnd: (task: () => void) => void tasks.push(task) };
    const inner = innerInput(ports, call, innerExchange(call, own));
    return typeof inner === 'string' ? { kind: 'no-account', message: inner } : await attempt(ports, call, inner);
  } finally {
    for (const task of tasks) task();
    memory.close();
  }
}

async function attempt(
  ports: AttemptPorts,
  { input, operation }: InnerCall,
  inner: AttemptInput,
): Promise<InnerAnswer> {
  if (PLAN.root.kind !== 'leaf') throw new Error('a plan without strategy is one target');
  const outcome = { ...(await attemptTarget(ports, inner, PLAN.root)), operation: operation.id };
  const { body, hold, status, error } = outcome;
  let spent: Parameters<Settlement['settle']>[0] = { status, usage: undefined, cost: undefined };
  try {
    if (error !== undefined || status !== 200 || body.kind === 'stream') {
      if (body.kind === 'stream') body.upstream.discard();
      input.tried.push(outcome);
      return { kind: 'failed', status, error };
    }
    const requestBytes = inner.resolution.body.kind === 'json' ? inner.resolution.body.bytes.length : 0;
    const withheld = countWhole(operation, requestBytes, body);
    const counted: AttemptOutcome = { ...outcome, withheld, counted: undefined };
    input.tried.push(counted);
    spent = { ...spentFacts(counted, inner.exchange), status };
    return { kind: 'answer', value: parseAnswer(body.bytes, ports.json), usage: withheld.usage };
  } finally {
    hold?.settle(spent);
  }
}

/** The account of the model, and nothing else of the request: neither its config nor its headers. A text says why there is none. */
function innerInput(
  { providers, hosts }: AttemptPorts,
  { input, model, bodyOf }: InnerCall,
  exchange: Exchange,
): AttemptInput | string {
  const caller = { ...input.caller, credential: undefined };
  const { request, snapshot } = exchange;
  const named = accountOf(() => providerOfModel(model, { request, caller, snapshot, providers, hosts }));
  if (typeof named === 'string') return named;
  const value = bodyOf(named.model);
  return {
    exchange,
    caller,
    resolution: {
      plan: PLAN,
      body: { kind: 'json', bytes: Buffer.from(JSON.stringify(value)), value },
      params: value,
      metadata: input.resolution.metadata,
      requestProvider: named.provider,
      headerOverrides: new HeaderOverrides(request, hosts),
    },
    calls: input.calls,
    tried: [],
    log: {}, // the client is not told the limits of this account
  };
}

function accountOf<T>(find: () => T | undefined): T | string {
  try {
    return find() ?? 'The model is no model of an account: expected @provider/model';
  } catch (error) {
    return toAppError(error).message;
  }
}

type Own = Pick<Exchange, 'signal' | 'atEnd'> & { readonly memory: ByteAccount };

/** An exchange with a client that sends no header. */
const innerExchange = (
  { input: { exchange }, operation }: Pick<InnerCall, 'input' | 'operation'>,
  own: Own,
): Exchange => ({
  operation,
  request: { ...REQUEST, path: operation.routes[0]?.path ?? '' },
  snapshot: exchange.snapshot,
  startedMs: exchange.startedMs,
  trace: exchange.trace,
  ...own,
});

const REQUEST: Omit<ClientRequest, 'path'> = {
  method: 'POST',
  query: '',
  route: {},
  header: () => undefined,
  headers: () => [],
  checkLength: () => {},
  readBody: () => Promise.resolve({ kind: 'none' }),
};
