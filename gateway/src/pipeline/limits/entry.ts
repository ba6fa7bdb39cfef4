/** The entry phase: expiry, requests and room for tokens of key and workspace, before the body is read. */
import { AppError } from '../../errors/index.ts';
import type { Demand, Denial, Limiter, Reservation } from '../../limits/index.ts';
import { type KeyRecord, NO_LIMITS, type WorkspaceRecord } from '../../snapshot/index.ts';
import type { Caller, ClientRequest } from '../exchange.ts';
import { rateError } from './denial.ts';
import { LimitTrail } from './trail.ts';

/** Reading these resources costs nothing of key and workspace: clients poll them while a job runs. */
const FREE = /^\/v1\/(?:batches|files|fine_tuning|logs)(?:\/|$)/;

export interface LimitPorts {
  readonly limiter: Limiter;
  /** Unix time in ms. */
  now(): number;
}

export const isPolling = ({ method, path }: Pick<ClientRequest, 'method' | 'path'>): boolean =>
  method === 'GET' && FREE.test(path);

/** Collects what limits said about a request; nothing where it has none. */
export interface LimitLog {
  limits?: LimitTrail;
}

/**
 * Lets a caller in or throws KEY_EXPIRED, KEY_RATE_LIMITED or WORKSPACE_RATE_LIMITED; a denied request consumes nothing.
 */
export function admit(
  { key, workspace }: Pick<Caller, 'key' | 'workspace'>,
  request: Pick<ClientRequest, 'method' | 'path'>,
  { limiter, now }: LimitPorts,
  log: LimitLog = {},
): void | Promise<void> {
  const nowMs = now();
  if (nowMs >= key.expiresAtMs) throw new AppError('KEY_EXPIRED');
  if ((key.limits === NO_LIMITS && workspace.limits === NO_LIMITS) || isPolling(request)) return;
  const demands = entryDemands(key, workspace);
  const result = limiter.reserve(demands, nowMs);
  if (!(result instanceof Promise)) return note(result, demands, log);
  return result.then((settled) => note(settled, demands, log));
}

interface EntryDemands {
  readonly workspace: WorkspaceRecord;
  readonly demands: readonly Demand[];
}

// A memo of a pure function: keys serve many requests.
const memo = new WeakMap<KeyRecord, EntryDemands>();

/** One request of each limit, and room for a token; the counts of requests are exact, so there is nothing to settle. */
function entryDemands(key: KeyRecord, workspace: WorkspaceRecord): readonly Demand[] {
  const known = memo.get(key);
  if (known?.workspace === workspace) return known.demands;
  const demands = [key, workspace].flatMap(({ limits }) => [...limits.requests, ...limits.room]);
  memo.set(key, { workspace, demands });
  return demands;
}

function note(result: Reservation | Denial, demands: readonly Demand[], log: LimitLog): void {
  log.limits = new LimitTrail();
  if (!result.allowed) {
    log.limits.denied(result);
    throw rateError(result, 'entry');
  }
  log.limits.granted(demands, result.windows);
}
