/** Reads the stream of keys from the snapshot service of the operator. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { KEYS_STREAM_PATH, type KeyStreamFrame, parseKeysFrame } from '@gatehouse/crds/snapshot';
import { type Clock, createBackoff, type Log, sleep } from '../../runtime/index.ts';

export interface KeySourceOptions {
  /** `https://host:port`. */
  readonly url: URL;
  /** Folder of `ca.crt` and `token`, which are read for each stream. */
  readonly folder: string;
  /** A stream has opened: what its frames go to. */
  readonly begin: () => (frame: KeyStreamFrame) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KeySource {
  /** Reads until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** When the last frame came, on the monotonic clock; undefined: none has come. */
  readonly heardMs: number | undefined;
}

const BACKOFF = { minMs: 250, maxMs: 15_000 };
/** Pings come every 30 s. */
const SILENCE_MS = 75_000;

export function createKeySource(options: KeySourceOptions): KeySource {
  const { begin, clock, log } = options;
  const backoff = createBackoff(BACKOFF, Math.random);
  let heardMs: number | undefined;
  const readOnce = async (signal: AbortSignal): Promise<void> => {
    using idle = createIdle(signal, clock);
    const answer = await open(options, idle.signal);
    if (answer.statusCode !== 200)
      throw new Error(`the operator answered ${answer.statusCode} to the request for keys`);
    const take = begin();
    for await (const line of linesOf(answer)) {
      const frame = parseKeysFrame(line);
      if (!frame.ok) throw new Error(`a frame of keys is malformed: ${frame.error}`);
      take(frame.value);
      heardMs = clock.monotonicMs();
      idle.extend();
      backoff.reset();
    }
    idle.signal.throwIfAborted();
  };
  return {
    get heardMs() {
      return heardMs;
    },
    run: async (signal) => {
      let isFailing = false;
      while (!signal.aborted) {
        try {
          await readOnce(signal);
          isFailing = false;
        } catch (error) {
          if (!signal.aborted && !isFailing) log.warn({ err: error }, 'Keys could not be read from the operator');
          isFailing = true;
        }
        await sleep(backoff.next(), { signal, clock }).catch(() => {}); // the signal ends the loop
      }
    },
  };
}

/** A signal that also ends after silence. */
function createIdle(signal: AbortSignal, clock: Clock) {
  const silence = new AbortController();
  const start = () => clock.schedule(SILENCE_MS, () => silence.abort(new Error('the stream of keys fell silent')));
  let timer = start();
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    extend: () => {
      timer[Symbol.dispose]();
      timer = start();
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** A frame has a thousand keys, each with a few scopes. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding('utf8');
  let rest = '';
  for await (const chunk of answer) {
    const [first = '', ...more] = String(chunk).split('\n');
    rest += first;
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error('a frame of keys is too long');
    for (const line of more) {
      yield rest;
      rest = line;
    }
  }
}

async function open({ url, folder }: KeySourceOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const [ca, token] = await Promise.all(['ca.crt', 'token'].map((name) => readFile(join(folder, name), 'utf8')));
  return new Promise((resolve, reject) => {
    const call = request(new URL(KEYS_STREAM_PATH, url), {
      ca,
      signal,
      agent: false,
      headers: { authorization: `Bearer ${token?.trim() ?? ''}`, accept: 'application/x-ndjson' },
    });
    call.on('response', resolve);
    call.on('error', reject);
    call.end();
  });
}
