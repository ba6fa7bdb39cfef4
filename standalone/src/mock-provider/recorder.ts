import type { IncomingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import { createBoundedMap } from './bounded-map.ts';

const MAX_REQUESTS = 1_000;
const MAX_BYTES = 32 * 1024 * 1024; // of all recorded requests together

/** A request that the mock received, and how its answer ended. */
export interface RecordedRequest {
  readonly sequence: number;
  readonly receivedAtMs: number;
  readonly method: string;
  readonly path: string;
  /** The raw query with its question mark, or an empty string. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  /** Empty when the request is larger than what the recorder may keep (32 MiB). */
  readonly body: Buffer;
  /** `open` until the answer is over; `broken` when the connection ended before the answer did, on either side. */
  readonly outcome: 'open' | 'finished' | 'broken';
  readonly endedAtMs: number | undefined;
  /** The body parsed as JSON; nothing when it is not JSON. */
  json(): unknown;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  /** Shorter than `bodyBytes` when the body was too large to be read. */
  readonly body: Buffer;
}

export interface Recorder {
  /** The newest requests, oldest first. */
  list(): readonly RecordedRequest[];
  /** `answer`: what it is written to. */
  record(request: ReceivedRequest, answer: Pick<Writable, 'once' | 'writableFinished'>): void;
}

export function createRecorder(now: () => number): Recorder {
  const entries = createBoundedMap<number, Entry>({ maxEntries: MAX_REQUESTS, maxBytes: MAX_BYTES });
  let sequence = 0;
  return {
    list: () => entries.values(),
    record(request, answer) {
      sequence += 1;
      const entry = new Entry(request, sequence, now());
      entries.set(sequence, entry, entry.bytes);
      answer.once('close', () => entry.end(answer.writableFinished ? 'finished' : 'broken', now()));
    },
  };
}

class Entry implements RecordedRequest {
  readonly sequence: number;
  readonly receivedAtMs: number;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  readonly body: Buffer;
  /** What it takes with its headers. */
  readonly bytes: number;
  outcome: RecordedRequest['outcome'] = 'open';
  endedAtMs: number | undefined = undefined;

  constructor(request: ReceivedRequest, sequence: number, receivedAtMs: number) {
    this.sequence = sequence;
    this.receivedAtMs = receivedAtMs;
    this.method = request.method;
    this.path = request.path;
    this.search = request.search;
    this.headers = request.headers;
    this.bodyBytes = request.bodyBytes;
    const headBytes = countHead(request);
    this.body = headBytes + request.body.length <= MAX_BYTES ? request.body : Buffer.alloc(0);
    this.bytes = headBytes + this.body.length;
  }

  end(outcome: 'finished' | 'broken', atMs: number): void {
    this.outcome = outcome;
    this.endedAtMs = atMs;
  }

  json(): unknown {
    try {
      return JSON.parse(this.body.toString());
    } catch {
      return undefined;
    }
  }
}

/** Bytes of everything but the body. */
function countHead({ method, path, search, headers }: ReceivedRequest): number {
  let total = method.length + path.length + search.length;
  for (const name in headers) total += name.length + String(headers[name]).length;
  return total;
}
