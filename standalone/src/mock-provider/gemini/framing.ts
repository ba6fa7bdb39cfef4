import { toJson } from '../answer-size.ts';

/** Gemini streams are SSE with `alt=sse`; otherwise one JSON array that grows. */
export function isSse(query: URLSearchParams): boolean {
  return query.get('alt') === 'sse';
}

export interface Framing {
  readonly contentType: string;
  readonly frame: (data: unknown, position: number) => string;
  /** What closes the stream after its last element. */
  readonly closing: string;
}

export const SSE_FRAMING: Framing = {
  contentType: 'text/event-stream',
  frame: (data) => `data: ${toJson(data)}\r\n\r\n`,
  closing: '',
};

export const ARRAY_FRAMING: Framing = {
  contentType: 'application/json; charset=UTF-8',
  frame: (data, position) => `${position === 0 ? '[' : ',\r\n'}${toJson(data)}`,
  closing: ']',
};
