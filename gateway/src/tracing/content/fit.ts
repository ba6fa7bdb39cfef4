/** JSON of bounded length: whole messages and parts are left out, and the text of the last one is cut. */
import type { Message, Part } from './parts.ts';

/** Undefined: there is nothing, or no room for anything. `limit`: in characters of JSON. */
export const fitMessages = (messages: readonly Message[], limit: number, keep: 'first' | 'last'): string | undefined =>
  fitted(messages, { limit, keep, cut: cutMessage });

/** The first ones are kept. */
export const fitParts = (parts: readonly Part[], limit: number): string | undefined =>
  fitted(parts, { limit, keep: 'first', cut: cutPart });

interface Fit<T> {
  readonly limit: number;
  readonly keep: 'first' | 'last';
  /** What of it has so many characters; undefined: nothing. */
  cut(whole: T, limit: number): string | undefined;
}

const BRACKETS = '[]'.length;

function fitted<T>(all: readonly T[], { limit, keep, cut }: Fit<T>): string | undefined {
  const ordered = keep === 'last' ? all.toReversed() : all;
  const kept: string[] = [];
  let left = limit - BRACKETS;
  for (const each of ordered) {
    const json = JSON.stringify(each);
    const fits = json.length <= left;
    const written = fits ? json : kept.length === 0 ? cut(each, left) : undefined;
    if (written === undefined) break;
    kept.push(written);
    left -= written.length + 1;
    if (!fits) break;
  }
  if (kept.length === 0) return undefined;
  return `[${(keep === 'last' ? kept.toReversed() : kept).join(',')}]`;
}

function cutMessage(message: Message, limit: number): string | undefined {
  const frame = JSON.stringify({ ...message, parts: [] });
  const parts = fitParts(message.parts, limit - frame.length + BRACKETS);
  return parts && frame.replace('"parts":[]', () => `"parts":${parts}`);
}

/** Of arguments and of what tools gave as a list nothing is left: half a value is none. */
function cutPart(part: Part, limit: number): string | undefined {
  if (part.type === 'text' || part.type === 'reasoning')
    return cutText(part.content, limit, (content) => ({ ...part, content }));
  if (part.type === 'tool_call_response') {
    const text = typeof part.response === 'string' ? part.response : '';
    return cutText(text, limit, (response) => ({ ...part, response }));
  }
  return part.type === 'tool_call' ? cutText('', limit, () => ({ ...part, arguments: undefined })) : undefined;
}

/** Undefined: there is no room for what stands around the text either. */
function cutText(text: string, limit: number, around: (text: string) => object): string | undefined {
  // Escapes take more room than what they stand for: with each turn a third less is tried.
  for (let size = Math.min(text.length, limit); size > 0; size = Math.floor((size * 2) / 3)) {
    const json = JSON.stringify(around(text.slice(0, size).toWellFormed()));
    if (json.length <= limit) return json;
  }
  const rest = JSON.stringify(around(''));
  return rest.length <= limit ? rest : undefined;
}
