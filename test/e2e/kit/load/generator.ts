/** Child process: sends requests at a constant rate and holds streams open. Started by index.ts. */
import { setTimeout as wait } from 'node:timers/promises';
import { Exchanges, type Target } from './exchange.ts';
import { Ledger } from './ledger.ts';
import { type LoadTask, type Order, order, type Reply } from './task.ts';

/** Streams begin one after the other, so that they do not end together. */
const STREAM_STAGGER_MS = 100;
/** Of a stream that failed: its successor must not become a storm. */
const AFTER_FAILURE_MS = 100;
/** Requests at the same time: on a machine that is too slow for the rate, more would only wait for each other. */
const MAX_UNANSWERED = 100;

class Load {
  readonly ledger = new Ledger();
  readonly #exchanges: Exchanges;
  readonly #targets: readonly [Target, ...Target[]];
  readonly #running = new Set<Promise<void>>();
  readonly #clock: NodeJS.Timeout;
  #turn = 0;
  #due = 0;
  #unanswered = 0;
  #over = false;

  constructor(task: LoadTask) {
    this.#exchanges = new Exchanges(task, this.ledger);
    const [first, ...others] = Object.entries(task.targets).map(([name, url]) => ({ name, url }));
    if (first === undefined) throw new Error('A load needs a target');
    this.#targets = [first, ...others];
    const startedAt = performance.now();
    this.#clock = setInterval(() => {
      const wanted = Math.floor(((performance.now() - startedAt) / 1000) * task.requestsPerSecond);
      for (; this.#due < wanted; this.#due += 1) {
        if (this.#unanswered < MAX_UNANSWERED) this.#keep(this.#request());
      }
    }, 1);
    for (let i = 0; i < task.streams; i += 1) this.#keep(this.#holdStream(i));
  }

  /** Resolves when everything that was sent has ended. */
  async finish(): Promise<void> {
    this.#over = true;
    clearInterval(this.#clock);
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#exchanges.close();
  }

  async #request(): Promise<void> {
    this.#unanswered += 1;
    await this.#exchanges.request(this.#nextTarget());
    this.#unanswered -= 1;
  }

  async #holdStream(index: number): Promise<void> {
    await wait(index * STREAM_STAGGER_MS);
    while (!this.#over) {
      const startedAt = performance.now();
      await this.#exchanges.stream(this.#nextTarget());
      if (performance.now() - startedAt < AFTER_FAILURE_MS) await wait(AFTER_FAILURE_MS);
    }
  }

  #nextTarget(): Target {
    this.#turn += 1;
    return this.#targets[this.#turn % this.#targets.length] ?? this.#targets[0];
  }

  #keep(exchange: Promise<void>): void {
    const running = exchange.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

let load: Load | undefined;

async function obey(message: Order): Promise<void> {
  if (message.order === 'start') load = new Load(message.task);
  if (message.order === 'finish') await load?.finish();
  const reply: Reply = { order: message.order, report: (load?.ledger ?? new Ledger()).report() };
  process.send?.(reply);
  if (message.order === 'finish') process.disconnect?.();
}

process.on('message', (message) => void obey(order.parse(message)));
