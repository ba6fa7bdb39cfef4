/** Requests at a constant rate to gateways that come and go: what a load balancer in front of a fleet does. */
import { clockMs } from '../load/clock.ts';
import { Connection } from '../load/connection.ts';
import { Histogram, type Summary } from '../load/histogram.ts';
import { requestBytes, type Target } from '../target.ts';

export interface TrafficResult {
  readonly sent: number;
  /** Answered with anything but 200, cut, or not answered at all. */
  readonly failed: number;
  /** Were due, but no connection was free until the end: the machine does not keep up. They are not in `sent`. */
  readonly unsent: number;
  /** From the moment a request was due, in µs. */
  readonly latency: Summary;
}

const TICK_MS = 1;
/** Per gateway; a request that finds none free waits, which its latency includes. */
const MAX_CONNECTIONS = 64;
/** The longest that the last answers are waited for. */
const LAST_ANSWERS_MS = 30_000;

/** The connections to one gateway. */
interface Pool {
  readonly target: Target;
  readonly request: Buffer;
  readonly idle: Connection[];
  open: number;
  retired: boolean;
}

export class Traffic {
  readonly #body: string;
  readonly #intervalMs: number;
  readonly #latency = new Histogram();
  /** When the request was due that a connection is busy with. */
  readonly #busy = new Map<Connection, number>();
  /** Due times of requests that no connection is free for. */
  readonly #waiting: number[] = [];
  #pools: readonly Pool[] = [];
  #next = 0;
  #startMs = 0;
  #sent = 0;
  #done = 0;
  #failed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { readonly body: string; readonly ratePerSecond: number }) {
    this.#body = options.body;
    this.#intervalMs = 1_000 / options.ratePerSecond;
  }

  /** Requests failed so far. */
  get failed(): number {
    return this.#failed;
  }

  /** From now on requests go to these gateways; what is in flight at others is still waited for. */
  setTargets(targets: readonly Target[]): void {
    const kept = this.#pools.filter(({ target }) => targets.includes(target));
    for (const pool of this.#pools) if (!kept.includes(pool)) retire(pool);
    const added = targets.filter((target) => !kept.some((pool) => pool.target === target));
    this.#pools = [...kept, ...added.map((target) => createPool(target, this.#body))];
  }

  start(): void {
    this.#startMs = clockMs();
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS);
  }

  /** Sends nothing more; resolves when everything is answered. */
  async stop(): Promise<TrafficResult> {
    clearInterval(this.#timer);
    for (const endMs = clockMs() + LAST_ANSWERS_MS; this.#done < this.#sent && clockMs() < endMs; ) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    const unsent = this.#waiting.splice(0).length;
    const sent = this.#sent - unsent;
    const failed = this.#failed + sent - this.#done;
    this.setTargets([]);
    return { sent, failed, unsent, latency: this.#latency.summary() };
  }

  #sendDue(): void {
    const due = Math.floor((clockMs() - this.#startMs) / this.#intervalMs);
    for (; this.#sent < due; this.#sent += 1) this.#send(this.#startMs + this.#sent * this.#intervalMs);
  }

  #send(dueMs: number): void {
    this.#next += 1;
    const pool = this.#pools[this.#next % this.#pools.length];
    const free = pool?.idle.pop();
    if (pool === undefined) this.#ended(false);
    else if (free !== undefined) this.#sendOn(pool, free, dueMs);
    else if (pool.open < MAX_CONNECTIONS) this.#sendOnNew(pool, dueMs);
    else this.#waiting.push(dueMs);
  }

  #sendOn(pool: Pool, connection: Connection, dueMs: number): void {
    this.#busy.set(connection, dueMs);
    connection.send(pool.request);
  }

  #sendOnNew(pool: Pool, dueMs: number): void {
    pool.open += 1;
    Connection.open(pool.target, {
      onAnswer: (connection, { ok, last }) => this.#answered(pool, connection, { ok, last }),
      onLost: (connection) => this.#lost(pool, connection),
    }).then(
      (connection) => this.#sendOn(pool, connection, dueMs),
      () => {
        pool.open -= 1;
        this.#ended(false);
      },
    );
  }

  #answered(pool: Pool, connection: Connection, { ok, last }: { readonly ok: boolean; readonly last: boolean }): void {
    const dueMs = this.#busy.get(connection) ?? 0;
    this.#busy.delete(connection);
    if (ok) this.#latency.record((clockMs() - dueMs) * 1_000);
    this.#ended(ok);
    if (last || pool.retired) {
      pool.open -= 1;
      connection.close();
    } else pool.idle.push(connection);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#send(next);
  }

  /** A gateway may close a connection that is not in use; one in use takes its request with it. */
  #lost(pool: Pool, connection: Connection): void {
    pool.open -= 1;
    if (this.#busy.delete(connection)) this.#ended(false);
    else pool.idle.splice(pool.idle.indexOf(connection), 1);
  }

  #ended(ok: boolean): void {
    this.#done += 1;
    if (!ok) this.#failed += 1;
  }
}

const createPool = (target: Target, body: string): Pool => ({
  target,
  request: requestBytes(target, body),
  idle: [],
  open: 0,
  retired: false,
});

function retire(pool: Pool): void {
  pool.retired = true;
  for (const connection of pool.idle.splice(0)) connection.close();
}
