/** One request or stream: sent once, never retried. */
import { randomBytes } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import type { Kind, Ledger, Mishap } from './ledger.ts';
import type { LoadTask } from './task.ts';

export interface Target {
  readonly name: string;
  readonly url: string;
}

const ANSWER_TIMEOUT_MS = 120_000;
const CONNECT_TIMEOUT_MS = 60_000;
/**
 * A gateway that drains answers with `connection: close` for some seconds before it closes what is left. A connection
 * that idles for less time than that is never closed by the gateway while a request is on its way.
 */
const IDLE_CONNECTION_MS = 1_000;
const REASON_LENGTH = 200;
/** Every other request has a connection of its own, as new clients do; the others keep theirs. */
const OWN_CONNECTION_SHARE = 2;

interface Manner {
  readonly model: string;
  /** A connection of its own. */
  readonly reset: boolean;
}

const createAgent = (): Agent =>
  new Agent({
    connections: 256,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

export class Exchanges {
  readonly #agent = createAgent();
  readonly #task: LoadTask;
  readonly #ledger: Ledger;
  #count = 0;

  constructor(task: LoadTask, ledger: Ledger) {
    this.#task = task;
    this.#ledger = ledger;
  }

  async request(target: Target): Promise<void> {
    this.#count += 1;
    const reset = this.#count % OWN_CONNECTION_SHARE === 0;
    await this.#record('request', target, { model: this.#task.model, reset });
  }

  async stream(target: Target): Promise<void> {
    await this.#record('stream', target, { model: this.#task.streamModel, reset: true });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #send({ url }: Target, kind: Kind, { model, reset }: Manner): Promise<Dispatcher.ResponseData> {
    const nonce = randomBytes(4).toString('hex'); // no answer comes from a cache
    const messages = [{ role: 'user', content: `Say hello ${nonce}` }];
    return this.#agent.request({
      origin: url,
      path: '/v1/chat/completions',
      method: 'POST',
      reset,
      headers: { ...this.#task.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, stream: kind === 'stream' }),
    });
  }

  async #record(kind: Kind, target: Target, manner: Manner): Promise<void> {
    const sentAt = Date.now();
    const fail = (how: Mishap['how'], reason: string): void =>
      this.#ledger.failed({ kind, target: target.name, how, reason, sentAt, failedAt: Date.now() });
    this.#ledger.started(kind);
    let how: Mishap['how'] = 'lost';
    try {
      const { statusCode, body } = await this.#send(target, kind, manner);
      how = 'cut';
      const text = await this.#read(kind, body);
      if (statusCode !== 200) fail('refused', `${statusCode} ${text.slice(0, REASON_LENGTH)}`);
      else if (isWhole(kind, text)) this.#ledger.finished(kind, Date.now() - sentAt);
      else fail('cut', text.slice(-REASON_LENGTH));
    } catch (error) {
      fail(how, codeOf(error));
    }
  }

  async #read(kind: Kind, body: Dispatcher.ResponseData['body']): Promise<string> {
    if (kind === 'stream') this.#ledger.streamOpened();
    try {
      return await body.text();
    } finally {
      if (kind === 'stream') this.#ledger.streamClosed();
    }
  }
}

const isWhole = (kind: Kind, text: string): boolean =>
  kind === 'stream' ? text.trimEnd().endsWith('data: [DONE]') : text.trimEnd().endsWith('}');

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? `${error.code} ${error.message}` : error.message;
}
