/** The answer of an operation as the clients of a door get it. */
import { isObject } from '@gatehouse/crds';
import { AppError, type ErrorFormat, toDoorError } from '../../errors/index.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { countAnswer } from '../../record/index.ts';
import type { Answer, CacheWriter, Exchange, HeaderMap } from '../exchange.ts';
import type { Entered } from './door.ts';
import { DoorTransform } from './transform.ts';

interface LeaveOptions {
  readonly exchange: Exchange;
  readonly entered: Entered;
  readonly json: JsonLimits;
  readonly format: ErrorFormat;
}

/** Throws UPSTREAM_INVALID_RESPONSE for a good answer that cannot be read. */
export function leaveDoor(answer: Answer, options: LeaveOptions): Answer {
  const { exchange, entered } = options;
  const { headers, body, store } = answer;
  nameDropped(headers, entered.dropped);
  if (body.kind === 'stream') {
    if (entered.stream === undefined || body.transform === undefined) return answer;
    headers['content-type'] = entered.stream.contentType;
    const transform = new DoorTransform(body.transform, entered.stream.open(), store);
    return {
      ...answer,
      body: { ...body, transform },
      store: store && { push: () => undefined, commit: () => store.commit() },
    };
  }
  const facts = withCount(answer, exchange);
  const bytes = isStream(headers) ? replayed(body.bytes, entered, headers) : whole(answer, body.bytes, options);
  return {
    ...answer,
    facts,
    body: { kind: 'bytes', bytes },
    store: store && storing(store, body.bytes),
  };
}

function nameDropped(headers: HeaderMap, dropped: readonly string[]): void {
  if (dropped.length === 0) return;
  const others = headers['x-gw-dropped-params'];
  headers['x-gw-dropped-params'] = [...dropped, ...(others === undefined ? [] : [others].flat())].join(', ');
}

const isStream = (headers: HeaderMap): boolean => String(headers['content-type']).startsWith('text/event-stream');

/** What the answer used is told by the answer of the operation. */
function withCount(answer: Answer, exchange: Exchange): Answer['facts'] {
  if (answer.body.kind !== 'bytes' || answer.facts.counted !== undefined) return answer.facts;
  const sent = { firstByteMs: 0, bytes: answer.body.bytes.length, error: undefined };
  return { ...answer.facts, counted: countAnswer({ exchange, answer, sent }) };
}

/** The events of a stored answer. */
function replayed(bytes: Buffer, { stream }: Entered, headers: HeaderMap): Buffer {
  if (stream === undefined) return bytes;
  headers['content-type'] = stream.contentType;
  const transform = new DoorTransform(undefined, stream.open(), undefined);
  return Buffer.from((transform.push(bytes) ?? '') + transform.end());
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

function whole({ status, facts }: Answer, bytes: Buffer, { entered, json, format }: LeaveOptions): Buffer {
  const value = parsed(bytes, json);
  if (!isGood(status))
    return value === undefined ? bytes : Buffer.from(JSON.stringify(toDoorError(value, format, status)));
  if (value === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', withProvider(facts.answeredBy?.provider));
  const made = entered.toClient(value);
  const results = value['hook_results'];
  return Buffer.from(JSON.stringify(results === undefined ? made : { ...made, hook_results: results }));
}

const withProvider = (provider: string | undefined) => (provider === undefined ? {} : { provider });

function parsed(bytes: Buffer, json: JsonLimits) {
  try {
    const value = readJson(bytes, json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // what the parser says quotes the body
  }
}

/** The cache keeps the answer of the operation. */
const storing = (store: CacheWriter, bytes: Buffer): CacheWriter => ({
  push: () => undefined,
  commit: () => {
    store.push(bytes);
    store.commit();
  },
});
