import { isObject, parseJson } from '@gatehouse/crds';
import type { Deadline } from '../time/index.ts';
import { ApiError, errorFromAnswer } from './api-error.ts';
import { createLineReader, LineTooLongError } from './json-lines.ts';
import type { Shorten } from './managed-fields.ts';
import type { KubeObject } from './objects.ts';
import { type TransportAnswer, toUnreachable } from './transport.ts';

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** There were no changes up to this resourceVersion. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** The largest object of etcd is 1.5 MiB; escapes in JSON and managed fields may multiply it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Can be read once; dispose it, read or not, to end the watch. */
export interface WatchStream<T extends KubeObject> extends AsyncIterable<WatchEvent<T>>, Disposable {}

/**
 * The events of a watch, until the server ends it; objects come without their managed fields. Reading throws ApiError: `Expired` (410) when the resourceVersion is too
 * old, `Undecodable` for anything that is no event, `Unreachable` when the stream breaks. The deadline now applies to the time
 * between two bytes.
 */
export interface WatchReading {
  readonly deadline: Deadline;
  /** The longest time without an event, in ms. */
  readonly silenceMs: number;
  /** Of the text of an event. */
  readonly shorten: Shorten;
}

export function openWatchStream<T extends KubeObject>(
  { body }: TransportAnswer,
  { deadline, silenceMs, shorten }: WatchReading,
): WatchStream<T> {
  deadline.extend(silenceMs); // up to here it was the deadline of the call
  body.on('error', () => {}); // the reader gets the error; without a reader it must not end the process
  return {
    [Symbol.asyncIterator]: () => readEvents<T>(body, { deadline, silenceMs, shorten }),
    [Symbol.dispose]: () => {
      body.destroy();
      deadline[Symbol.dispose]();
    },
  };
}

async function* readEvents<T extends KubeObject>(
  body: TransportAnswer['body'],
  { deadline, silenceMs, shorten }: WatchReading,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const reader = createLineReader(MAX_LINE_BYTES);
  try {
    for await (const bytes of body) {
      deadline.extend(silenceMs);
      for (const line of reader.push(bytes)) yield parseEvent<T>(shorten(line));
    }
  } catch (error) {
    if (error instanceof LineTooLongError) throw undecodable(error.message);
    throw toUnreachable(error, deadline.signal);
  }
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  const event = decodeJson(line);
  const object = isObject(event) ? event['object'] : undefined;
  if (!isObject(event) || !isObject(object)) throw undecodable('a line of the watch is no event');
  if (event['type'] === 'ERROR') throw errorFromAnswer(500, object);
  const metadata = object['metadata'];
  if (!isObject(metadata) || typeof metadata['resourceVersion'] !== 'string') {
    throw undecodable('an object of the watch has no resourceVersion');
  }
  switch (event['type']) {
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: metadata['resourceVersion'] };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      // The API server has validated the object against the schema of its type.
      return { type: event['type'], object: object as unknown as T };
    default:
      throw undecodable('the watch has an unknown type of event');
  }
}

function decodeJson(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    throw undecodable('a line of the watch is not JSON'); // without the cause, which would quote the object
  }
}

const undecodable = (message: string): ApiError => new ApiError({ status: 0, reason: 'Undecodable', message });
