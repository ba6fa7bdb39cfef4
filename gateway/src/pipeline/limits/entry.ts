/** The entry phase: expiry, budgets, requests and room for tokens of key and workspace, before the body is read. */
import type { Buckets, BudgetDenial, BudgetLimit, Budgets } from '../../budgets/index.ts';
import { AppError } from '../../errors/index.ts';
import type { Demand, Denial, Limiter, Reservation } from '../../limits/index.ts';
import type { PartTimes, StepLog } from '../../record/index.ts';
import { type KeyRecord, NO_LIMITS, type WorkspaceRecord } from '../../snapshot/index.ts';
import type { Caller, ClientRequest } from '../exchange.ts';
import { budgetError, rateError } from './denial.ts';
import { LimitTrail } from './trail.ts';

/** Reading these resources costs nothing of key and workspace: clients poll them while a job runs. */
const READ = /^\/v1\/(?:batches|files|fine_tuning|logs|messages\/batches)(?:\/|$)/;
/** Nor does ending what costs: a budget with nothing left must not keep it going. */
const ENDED = /^\/v1\/(?:batches|fine_tuning\/jobs|messages\/batches)\/[^/]+\/cancel\/?$/;

export interface LimitPorts {
  readonly limiter: Limiter;
  readonly budgets: Budgets;
  /** Bounds the counters of each policy. */
  readonly buckets: Buckets;
  /** Unix time in ms. */
  now(): number;
}

export const isFree = ({ method, path }: Pick<ClientRequest, 'method' | 'path'>): boolean =>
  (method === 'GET' && READ.test(path)) || (method === 'POST' && ENDED.test(path));

/** Collects what limits said about a request; nothing where it has none. */
export interface LimitLog {
  limits?: LimitTrail;
  /** Only where spans of the request are exported. */
  steps?: StepLog;
  /** Only where rows of the request are kept. */
  times?: PartTimes;
}

/**
 * Lets a caller in, or throws the AppError of its expiry, of a budget without anything left or of a full window; a denied
 * request consumes nothing.
 */
export function admit(
  { key, workspace }: Pick<Caller, 'key' | 'workspace'>,
  request: Pick<ClientRequest, 'method' | 'path'>,
  ports: Pick<LimitPorts, 'limiter' | 'budgets' | 'now'>,
  log: LimitLog = {},
): void | Promise<void> {
  const nowMs = ports.now();
  const isExpired = nowMs >= key.expiresAtMs;
  if ((key.limits === NO_LIMITS && workspace.limits === NO_LIMITS) || isFree(request)) {
    if (isExpired) throw new AppError('KEY_EXPIRED');
    return;
  }
  const limits = entryLimits(key, workspace);
  const enter = (): void | Promise<void> => takeEntry(limits, { nowMs, isExpired }, { ports, log });
  if (log.steps === undefined || limits.demands.length + limits.budgets.length === 0) return enter();
  return log.steps.time({ kind: 'limits', target: undefined }, enter, () => ({ refusedBy: log.limits?.refusedBy() }));
}

function takeEntry(
  { demands, budgets }: EntryLimits,
  { nowMs, isExpired }: { readonly nowMs: number; readonly isExpired: boolean },
  { ports, log }: { readonly ports: Pick<LimitPorts, 'limiter' | 'budgets'>; readonly log: LimitLog },
): void | Promise<void> {
  const exhausted = budgets.length === 0 ? undefined : ports.budgets.ask(budgets, nowMs);
  if (exhausted?.budget.owner.kind === 'key') refuse(exhausted, log);
  if (isExpired) throw new AppError('KEY_EXPIRED');
  if (exhausted !== undefined) refuse(exhausted, log);
  if (demands.length === 0) return;
  const result = ports.limiter.reserve(demands, nowMs);
  if (!(result instanceof Promise)) return note(result, demands, log);
  return result.then((settled) => note(settled, demands, log));
}

function refuse(denial: BudgetDenial, log: LimitLog): never {
  log.limits = new LimitTrail();
  log.limits.exhausted(denial);
  throw budgetError(denial, 'entry');
}

interface EntryLimits {
  readonly workspace: WorkspaceRecord;
  readonly demands: readonly Demand[];
  readonly budgets: readonly BudgetLimit[];
}

// A memo of a pure function: keys serve many requests.
const memo = new WeakMap<KeyRecord, EntryLimits>();

/** One request of each limit, and room for a token; the counts of requests are exact, so there is nothing to settle. */
function entryLimits(key: KeyRecord, workspace: WorkspaceRecord): EntryLimits {
  const known = memo.get(key);
  if (known?.workspace === workspace) return known;
  const demands = [key, workspace].flatMap(({ limits }) => [...limits.requests, ...limits.room]);
  const limits = { workspace, demands, budgets: [...key.limits.budgets, ...workspace.limits.budgets] };
  memo.set(key, limits);
  return limits;
}

function note(result: Reservation | Denial, demands: readonly Demand[], log: LimitLog): void {
  log.limits = new LimitTrail();
  if (!result.allowed) {
    log.limits.denied(result);
    throw rateError(result, 'entry');
  }
  log.limits.granted(demands, result);
}
