import { toJson } from '../answer-size.ts';
import type { Dialect } from '../exchange.ts';
import type { Frame, Refusal } from '../reply.ts';

export const ollama: Dialect = {
  overloadedStatus: 503,
  errorBody: ({ message }) => ({ error: message }),
  errorHeaders: () => ({}),
};

/** A line of a stream. */
export const lineFrame = (data: unknown, kind: Frame['kind'] = 'event'): Frame => ({
  bytes: `${toJson(data)}\n`,
  kind,
});

export const errorLine = ({ message }: Refusal): Frame => lineFrame({ error: message });
