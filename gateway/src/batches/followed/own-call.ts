/** Calls about a followed batch, for the key that has created it, at the account as it is stored now. */

import { AppError } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { percentEncoded } from '../../lib/percent-encode.ts';
import {
  type Answer,
  type Caller,
  type ClientRequest,
  callerOfKey,
  type Exchange,
  OPERATIONS,
  type Operation,
  type RowSettlement,
  traceOf,
} from '../../pipeline/index.ts';
import { NO_LIMITS, type SnapshotView } from '../../snapshot/index.ts';
import type { RowCallPorts } from '../execution/row-call.ts';
import type { FollowedBatch } from '../followed-store.ts';

export type OwnCallPorts = Pick<RowCallPorts, 'pipeline' | 'snapshots' | 'inFlight' | 'spans' | 'openMemory'>;

export interface OwnCall {
  readonly followed: FollowedBatch;
  readonly operation: 'getBatch' | 'getBatchOutput';
  readonly settlement: RowSettlement;
  /** Nobody waits for the answer any longer. */
  readonly signal: CancelSignal;
}

export type Use<T> = (answer: Answer, exchange: Exchange) => Promise<T>;

/** What `use` makes of the answer, whose bytes it reads; undefined: the workspace is gone, or no Snapshot is there. */
export async function ownCall<T>(ports: OwnCallPorts, call: OwnCall, use: Use<T>): Promise<T | undefined> {
  const { config } = call.followed;
  const answered = await oneCall(ports, call, { config, use: (answer, exchange) => orRefused(answer, exchange, use) });
  // A config may be gone: the account is the same without it.
  if (answered !== REFUSED) return answered;
  return await oneCall(ports, call, { config: undefined, use });
}

const REFUSED = Symbol('the config is refused');

const orRefused = async <T>(answer: Answer, exchange: Exchange, use: Use<T>): Promise<T | typeof REFUSED> =>
  answer.facts.error?.code.startsWith('CONFIG_') === true ? REFUSED : await use(answer, exchange);

interface One<T> {
  readonly config: string | undefined;
  readonly use: Use<T>;
}

async function oneCall<T>(
  ports: OwnCallPorts,
  { followed, operation, settlement, signal }: OwnCall,
  { config, use }: One<T>,
): Promise<T | undefined> {
  const snapshot = ports.snapshots.current;
  const caller = snapshot && ownerOf(followed, snapshot, config);
  if (snapshot === undefined || caller === undefined) return undefined;
  const request = requestOf(followed, operation);
  return await callAs(ports, { operation: OPERATIONS[operation], request, snapshot, caller, settlement, signal }, use);
}

export interface CallAs {
  readonly operation: Operation;
  readonly request: ClientRequest;
  readonly snapshot: SnapshotView;
  readonly caller: Caller;
  readonly settlement?: RowSettlement | undefined;
  readonly isSentOnce?: true;
  /** Nobody waits for the answer any longer. */
  readonly signal: CancelSignal;
}

/** A call of the gateway for one of its callers, and what `use` makes of its answer. */
export async function callAs<T>(
  { pipeline, inFlight, spans, openMemory }: OwnCallPorts,
  { signal, settlement, ...call }: CallAs,
  use: Use<T>,
): Promise<T> {
  const cancellation = new Cancellation();
  const stop = (): void => cancellation.cancel(new AppError('DRAINING'));
  const memory: ByteAccount = openMemory();
  const tasks: (() => void)[] = [];
  const exchange: Exchange = {
    ...{ ...call, ...(settlement === undefined ? {} : { settlement }), signal: cancellation, memory },
    atEnd: (task) => void tasks.push(task),
    startedMs: performance.now(),
    trace: traceOf(call.request, spans),
  };
  inFlight.add(cancellation);
  signal.onCancel(stop);
  try {
    return await use(await pipeline.handle(exchange), exchange);
  } finally {
    signal.offCancel(stop);
    inFlight.remove(cancellation);
    memory.close();
    for (const task of tasks) task();
  }
}

const NO_HEADERS: ReadonlySet<string> = new Set();
const EVERY_SCOPE: ReadonlySet<string> = new Set(['*']);

/**
 * The key as it is, else its name alone: work that was done is paid by its workspace, whether the key has expired or is gone. The config
 * is its default: one that is named by a call may not have several targets where a provider keeps something.
 */
export function ownerOf(
  { key, workspace: name }: Pick<FollowedBatch, 'key' | 'workspace'>,
  snapshot: SnapshotView,
  config: string | undefined,
): Caller | undefined {
  const workspace = snapshot.workspace(name);
  if (workspace === undefined) return undefined;
  const known = callerOfKey(key.id, name, snapshot);
  const owner = known?.key ?? { id: key.id, name: key.name, user: key.user, workspace: name, limits: NO_LIMITS };
  return {
    key: {
      ...owner,
      scopes: EVERY_SCOPE,
      defaults: { allowConfigOverride: true },
      expiresAtMs: Number.POSITIVE_INFINITY,
    },
    keyHash: known?.keyHash ?? '',
    keyHeaders: NO_HEADERS,
    workspace: { ...workspace, defaults: config === undefined ? {} : { config } },
    credential: undefined,
  };
}

const STATE_TIMEOUT_MS = 30_000;

function requestOf({ batch, slug, metadata, traceId }: FollowedBatch, operation: OwnCall['operation']): ClientRequest {
  const id = percentEncoded(batch);
  const headers = new Map([
    ['x-gw-provider', `@${slug}`],
    ['x-gw-metadata', metadata],
    ['x-gw-trace-id', traceId],
  ]);
  // A provider that does not answer holds up those of others no longer than this.
  if (operation === 'getBatch') headers.set('x-gw-request-timeout', String(STATE_TIMEOUT_MS));
  return {
    method: 'GET',
    path: `/v1/batches/${id}${operation === 'getBatch' ? '' : '/output'}`,
    query: '',
    route: { batch_id: id },
    header: (name) => headers.get(name),
    headers: () => headers.entries(),
    checkLength: () => undefined,
    readBody: async () => ({ kind: 'none' }),
  };
}
