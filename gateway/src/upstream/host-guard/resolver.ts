import { AppError } from '../../errors/index.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. Rejects like `dns.lookup`. */
export type LookupAll = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Names from requests have their own queue, so that slow name servers chosen by clients cannot delay providers. */
export type Lane = 'request' | 'trusted';

export interface Resolver {
  /** Rejects with AppError UPSTREAM_CONNECT_TIMEOUT when the queue is full or the deadline passes, else like the lookup. */
  resolve(hostname: string, lane: Lane): Promise<readonly ResolvedAddress[]>;
}

export interface ResolverOptions {
  readonly lookup: LookupAll;
  /** From the call to its answer, waiting included, in ms. */
  readonly deadlineMs: number;
  readonly maxQueued?: number;
}

/** Look-ups at the same time. */
const MAX_ACTIVE = 5;
/** Of these for names from requests. */
const MAX_ACTIVE_OF_REQUESTS = 3;
/** Names that may wait in each queue. */
const MAX_QUEUED = 1_000;

interface Job {
  readonly hostname: string;
  readonly lane: Lane;
  /** No caller waits for the answer after this time of `performance.now()`. */
  wantedUntilMs: number;
  readonly done: PromiseWithResolvers<readonly ResolvedAddress[]>;
}

/** Resolves names, few at a time; callers of the same name share a look-up. */
export function createResolver({ lookup, deadlineMs, maxQueued = MAX_QUEUED }: ResolverOptions): Resolver {
  const jobs = new Map<string, Job>();
  const waiting: Record<Lane, Job[]> = { trusted: [], request: [] };
  const active: Record<Lane, number> = { trusted: 0, request: 0 };

  const run = async (job: Job): Promise<void> => {
    active[job.lane] += 1;
    try {
      job.done.resolve(await lookup(job.hostname));
    } catch (error) {
      job.done.reject(error);
    } finally {
      active[job.lane] -= 1;
      jobs.delete(keyOf(job));
      startNext();
    }
  };

  const startNext = (): void => {
    for (let job = takeNext(); job !== undefined; job = takeNext()) {
      if (job.wantedUntilMs >= performance.now()) void run(job);
      else {
        jobs.delete(keyOf(job));
        job.done.reject(timedOut());
      }
    }
  };

  const takeNext = (): Job | undefined => {
    if (active.trusted + active.request >= MAX_ACTIVE) return undefined;
    return waiting.trusted.shift() ?? (active.request < MAX_ACTIVE_OF_REQUESTS ? waiting.request.shift() : undefined);
  };

  const jobFor = (hostname: string, lane: Lane): Job => {
    const wantedUntilMs = performance.now() + deadlineMs;
    const known = jobs.get(keyOf({ hostname, lane }));
    if (known !== undefined) {
      known.wantedUntilMs = wantedUntilMs;
      return known;
    }
    if (waiting[lane].length >= maxQueued) throw timedOut();
    const job: Job = { hostname, lane, wantedUntilMs, done: Promise.withResolvers() };
    job.done.promise.catch(() => {}); // callers have their own handlers, or their deadline has passed
    jobs.set(keyOf(job), job);
    waiting[lane].push(job);
    startNext();
    return job;
  };

  return {
    resolve: async (hostname, lane) => withDeadline(jobFor(hostname, lane).done.promise, deadlineMs),
  };
}

const keyOf = ({ hostname, lane }: Pick<Job, 'hostname' | 'lane'>): string => `${lane} ${hostname}`;

const timedOut = (): AppError => new AppError('UPSTREAM_CONNECT_TIMEOUT');

async function withDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T> {
  const expiry = Promise.withResolvers<never>();
  const timer = setTimeout(() => expiry.reject(timedOut()), deadlineMs);
  try {
    return await Promise.race([promise, expiry.promise]);
  } finally {
    clearTimeout(timer);
  }
}
