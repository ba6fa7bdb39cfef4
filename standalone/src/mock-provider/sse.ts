import { toJson } from './answer-size.ts';
import type { Frame } from './reply.ts';

export const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

/** A frame with data only, as OpenAI chat and Gemini streams have them. */
export function dataFrame(data: unknown, kind: Frame['kind'] = 'event'): Frame {
  return { bytes: `data: ${toJson(data)}\n\n`, kind };
}

export type TypedData = Readonly<Record<string, unknown>> & { readonly type: string };

/** A frame whose event name repeats `data.type`, as Anthropic and Responses streams have them. */
export function namedFrame(data: TypedData, kind: Frame['kind'] = 'event'): Frame {
  return { bytes: `event: ${data.type}\ndata: ${toJson(data)}\n\n`, kind };
}

export const DONE_FRAME: Frame = { bytes: 'data: [DONE]\n\n', kind: 'end' };
