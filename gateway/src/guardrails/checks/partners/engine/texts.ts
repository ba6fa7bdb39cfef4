/** Texts of conversations, and texts that are written back. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../../wire/contract.ts';
import type { CheckSubject, Transformed } from '../../../contract.ts';
import type { TextPart } from './partner.ts';
import { listAt } from './reply.ts';

/** New texts for these parts; undefined keeps a text. */
export function replaceTexts(
  subject: Pick<CheckSubject, 'parts'>,
  texts: readonly TextPart[],
  replaced: readonly (string | undefined)[],
): Transformed {
  const parts = new Array<string | undefined>(subject.parts.length).fill(undefined);
  for (const [i, { at }] of texts.entries()) parts[at] = replaced[i];
  return { kind: 'parts', parts };
}

/** A part of the text from `start` to before `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text with each span written anew. Of spans that overlap, the longest is written and hides the others. */
export function replaceSpans<S extends Span>(
  text: string,
  spans: readonly S[],
  write: (found: string, span: S) => string,
): string {
  const valid = spans.filter(
    ({ start, end }) => isOffset(start) && isOffset(end) && start < end && start < text.length,
  );
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, longest } of merged(valid)) {
    pieces.push(text.slice(at, start), write(text.slice(start, end), longest));
    at = Math.min(end, text.length);
  }
  return pieces.join('') + text.slice(at);
}

const isOffset = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function merged<S extends Span>(spans: readonly S[]): (Span & { readonly longest: S })[] {
  const out: (Span & { readonly longest: S })[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last === undefined || span.start >= last.end) out.push({ start: span.start, end: span.end, longest: span });
    else out[out.length - 1] = joined(last, span);
  }
  return out;
}

const joined = <S extends Span>(last: Span & { readonly longest: S }, span: S): Span & { readonly longest: S } => ({
  start: last.start,
  end: Math.max(last.end, span.end),
  longest: span.end - span.start > last.longest.end - last.longest.start ? span : last.longest,
});

/** The text of a message's content: its text parts as lines. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = Array.isArray(content) ? content.map(partText).filter((text) => text !== '') : [];
  return texts.join('\n');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}

/** The messages of a request that are objects. */
export const messagesOf = (request: JsonObject): readonly JsonObject[] => listAt(request, 'messages').filter(isObject);
