/** Prompts and answers on spans, where logging allows it: docs/behaviour/tracing.md#content. */
import type { RequestRecord } from '../../record/index.ts';
import type { Content } from '../span.ts';
import { answeredMessages, askedMessages } from './conversation.ts';
import { fitMessages, fitParts } from './fit.ts';

/** Bodies of a request without secrets, as JSON values; undefined: there is none, or none that may be shown. */
export interface SpokenBodies {
  /** Of the client, as the target shapes it. */
  asked(): unknown;
  /** As it went to the provider. */
  sent(): unknown;
  /** As the client gets it. */
  answered(): unknown;
  /** What was written of them, without secrets; undefined: it cannot be made without one. */
  clean(json: string): string | undefined;
}

export interface ContentOptions {
  /** Of each attribute, in characters. */
  readonly maxChars: number;
  /** Undefined: nothing of it may be shown. */
  bodiesOf(record: RequestRecord): SpokenBodies | undefined;
}

/** Undefined: there is none, or logging does not allow it. */
export function contentOf(record: RequestRecord, { maxChars, bodiesOf }: ContentOptions): Content | undefined {
  if (record.captured?.isWhole !== true) return undefined;
  const bodies = bodiesOf(record);
  if (bodies === undefined) return undefined;
  const asked = askedMessages(bodies.asked()) ?? askedMessages(bodies.sent());
  const answered = answeredMessages(bodies.answered());
  const texts = {
    'gen_ai.system_instructions': asked && fitParts(asked.instructions, maxChars),
    'gen_ai.input.messages': asked && fitMessages(asked.messages, maxChars, 'last'),
    'gen_ai.output.messages': answered && fitMessages(answered, maxChars, 'first'),
  };
  const known = Object.entries(texts).flatMap(([name, json]) => {
    const clean = json && bodies.clean(json);
    return clean === undefined ? [] : [[name, clean] as const];
  });
  if (known.length === 0) return undefined;
  return {
    attributes: Object.fromEntries(known),
    bytes: known.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0),
  };
}
