/** Streams whose usage the gateway asked for and the client did not: the bytes without it. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../contract.ts';
import { MAX_FRAME_BYTES } from '../framing/reader.ts';
import { parseJsonObject } from './message.ts';
import type { SseRelay } from './sse-relay.ts';

export interface UsageFilter extends SseRelay {
  /** The usage object that was taken out. */
  usage(): JsonObject | undefined;
}

/** Params that ask for the usage chunk at the end of a stream; the same object when they ask already. */
export function askForUsageChunk(params: JsonObject): JsonObject {
  if (wantsUsageChunk(params)) return params;
  const { stream_options: given } = params;
  if (given !== undefined && given !== null && !isObject(given)) return params; // the provider says what is wrong with it
  return { ...params, stream_options: { ...given, include_usage: true } };
}

/** Whether params ask for the usage chunk. */
export function wantsUsageChunk({ stream_options: options }: JsonObject): boolean {
  return isObject(options) && options['include_usage'] === true;
}

/** Two line ends; a CR at the end of what has arrived may be half of a line end. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n|$)){2}/g;
const DATA = /^data:(.*)$/gm;
const KEY = '"usage"';
const EMPTY_VALUE = /\s*:\s*null/y;

/**
 * Takes out of chat and completion chunks what `include_usage` adds: the chunk without choices that holds the usage, and
 * the member `usage: null` of all others. Everything else passes byte for byte.
 */
export function createUsageFilter(): UsageFilter {
  let held = ''; // latin1: one character for each byte
  let usage: JsonObject | undefined;
  const passed = (event: string): string => {
    if (!event.includes(KEY)) return event;
    const lines = [...event.matchAll(DATA)];
    const [line] = lines;
    const chunk = lines.length === 1 ? parseJsonObject(line?.[1] ?? '') : undefined;
    if (chunk === undefined) return event;
    if (isObject(chunk['usage'])) {
      usage = chunk['usage'];
      return Array.isArray(chunk['choices']) && chunk['choices'].length === 0 ? '' : event;
    }
    return chunk['usage'] === null ? withoutEmptyUsage(event) : event;
  };
  return {
    push(bytes) {
      const text = held + bytes.toString('latin1');
      let out = '';
      let from = 0;
      for (const { index, 0: end } of text.matchAll(EVENT_END)) {
        out += passed(text.slice(from, index + end.length));
        from = index + end.length;
      }
      held = text.slice(from);
      if (held.length > MAX_FRAME_BYTES) {
        throw new AppError('UPSTREAM_STREAM_BROKEN', {
          detail: `An event of the stream is larger than ${MAX_FRAME_BYTES} bytes`,
        });
      }
      return Buffer.from(out, 'latin1');
    },
    end() {
      const rest = passed(held);
      held = '';
      return Buffer.from(rest, 'latin1');
    },
    usage: () => usage,
  };
}

/** The text of an event without the member `usage: null` of its chunk. */
function withoutEmptyUsage(event: string): string {
  const start = event.indexOf('{');
  let depth = 0;
  for (let at = start; at < event.length; at += 1) {
    const character = event[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(event, at);
      EMPTY_VALUE.lastIndex = end;
      if (depth === 1 && event.slice(at, end) === KEY && EMPTY_VALUE.test(event)) {
        return cutMember(event, at, EMPTY_VALUE.lastIndex);
      }
      at = end - 1;
    }
  }
  return event;
}

/** The index behind the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The text without a member and the comma that belongs to it. */
function cutMember(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const trimmed = before.trimEnd();
  if (trimmed.endsWith(',')) return trimmed.slice(0, -1).trimEnd() + after;
  const rest = after.trimStart();
  return before + (rest.startsWith(',') ? rest.slice(1) : after);
}
