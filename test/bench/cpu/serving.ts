import type { ByteBudget } from '../../../gateway/src/lib/byte-budget.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { type JsonLimits, readJson } from '../../../gateway/src/lib/json/index.ts';
import {
  type ClientRequest,
  OPERATIONS,
  type Pipeline,
  type RequestBody,
  traceOf,
} from '../../../gateway/src/pipeline/index.ts';
import type { Recorder } from '../../../gateway/src/record/index.ts';
import type { SnapshotView } from '../../../gateway/src/snapshot/index.ts';
import { chatBody } from '../load/chat-body.ts';
import { CHAT_PATH } from '../peers/peer.ts';

interface ServingOptions {
  readonly pipeline: Pipeline;
  readonly recorder: Recorder;
  readonly budget: ByteBudget;
  readonly json: JsonLimits;
  /** Of the caller. */
  readonly key: string;
}

const BYTES = Buffer.from(chatBody(1024));

/** Serves a request as the listener does, without a connection. Rejects unless it is answered well. */
export function createServing(options: ServingOptions): (snapshot: SnapshotView) => Promise<void> {
  const { pipeline, recorder, budget, json, key } = options;
  const { chatComplete: operation } = OPERATIONS;
  const headers = headersOf(key);
  return async (snapshot) => {
    const startedMs = performance.now();
    const request = requestWith(headers, json);
    const memory = budget.open();
    const tasks: (() => void)[] = [];
    const exchange = {
      operation,
      request,
      snapshot,
      signal: new Cancellation(),
      atEnd: (task: () => void) => void tasks.push(task),
      memory,
      startedMs,
      trace: traceOf(request),
    };
    const answer = await pipeline.handle(exchange);
    if (answer.status !== 200 || answer.body.kind !== 'bytes') throw new Error(`status ${answer.status}`);
    const sent = { firstByteMs: performance.now(), bytes: answer.body.bytes.length, error: undefined };
    recorder.finish({ exchange, answer, sent });
    memory.close();
    for (const task of tasks) task();
  };
}

const headersOf = (key: string): Readonly<Record<string, string>> => ({
  host: '127.0.0.1:8787',
  'content-type': 'application/json',
  'content-length': String(BYTES.length),
  'x-gw-api-key': key,
  'x-gw-provider': '@openai',
});

const requestWith = (headers: Readonly<Record<string, string>>, json: JsonLimits): ClientRequest => ({
  method: 'POST',
  path: CHAT_PATH,
  query: '',
  route: {},
  header: (name) => headers[name],
  headers: () => Object.entries(headers),
  checkLength: () => undefined,
  readBody: async (): Promise<RequestBody> => ({
    kind: 'json',
    bytes: BYTES,
    isParsed: true,
    value: readJson(BYTES, json) as Record<string, unknown>, // an object
  }),
});
