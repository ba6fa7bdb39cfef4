/** Text completion answers of every family, distinguished by their shape. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  type AnyFinishReason,
  type ChatCompletion,
  finishReasonOf,
  type TextCompletion,
  toChatCompletion,
  toTextCompletion,
} from '../openai/index.ts';
import { type Headers, headerCounts, plainUsage } from './usage.ts';

interface Choice {
  readonly text: string;
  readonly reason: string | undefined;
}

interface Shape {
  /** The member by which an answer is recognised. */
  readonly marker: string;
  choices(body: JsonObject): readonly Choice[];
  /** Counts in the body, in tokens; absent: in the headers. */
  counts?(body: JsonObject): { readonly input?: number | undefined; readonly output?: number | undefined };
}

const choice = (text: string | undefined, reason: string | undefined): Choice => ({ text: text ?? '', reason });

const SHAPES: readonly Shape[] = [
  // anthropic
  { marker: 'completion', choices: (body) => [choice(textAt(body, 'completion'), textAt(body, 'stop_reason'))] },
  // cohere
  {
    marker: 'generations',
    choices: (body) =>
      objectsAt(body, 'generations').map((item) => choice(textAt(item, 'text'), textAt(item, 'finish_reason'))),
  },
  // meta
  {
    marker: 'generation',
    choices: (body) => [choice(textAt(body, 'generation'), textAt(body, 'stop_reason'))],
    counts: (body) => ({
      input: numberAt(body, 'prompt_token_count'),
      output: numberAt(body, 'generation_token_count'),
    }),
  },
  // mistral
  {
    marker: 'outputs',
    choices: (body) =>
      objectsAt(body, 'outputs').map((item) => choice(textAt(item, 'text'), textAt(item, 'stop_reason'))),
  },
  // titan
  {
    marker: 'results',
    choices: (body) =>
      objectsAt(body, 'results').map((item) => choice(textAt(item, 'outputText'), textAt(item, 'completionReason'))),
    counts: (body) => ({
      input: numberAt(body, 'inputTextTokenCount'),
      output: objectsAt(body, 'results').reduce((sum, item) => sum + (numberAt(item, 'tokenCount') ?? 0), 0),
    }),
  },
  // ai21
  {
    marker: 'completions',
    choices: (body) =>
      objectsAt(body, 'completions').map((item) =>
        choice(textAt(objectAt(item, 'data'), 'text'), textAt(objectAt(item, 'finishReason'), 'reason')),
      ),
  },
];

interface Reading {
  readonly choices: readonly { readonly text: string; readonly finishReason: AnyFinishReason }[];
  readonly usage: Usage | undefined;
}

/** Reads a completion; the error says why it cannot be read. */
export function fromCompleteAnswer(body: unknown, ctx: WireContext, headers: Headers): Result<TextCompletion, string> {
  const reading = readAnswer(body, ctx, headers);
  return reading.ok ? ok(toTextCompletion(reading.value, ctx)) : reading;
}

/** Reads a completion as the answer of a chat. */
export function fromLegacyChatAnswer(
  body: unknown,
  ctx: WireContext,
  headers: Headers,
): Result<ChatCompletion, string> {
  const reading = readAnswer(body, ctx, headers);
  return reading.ok ? ok(toChatCompletion(reading.value, ctx)) : reading;
}

function readAnswer(body: unknown, ctx: WireContext, headers: Headers): Result<Reading, string> {
  const shape = isObject(body) ? SHAPES.find(({ marker }) => body[marker] !== undefined) : undefined;
  if (!isObject(body) || shape === undefined) return err('the answer has none of the known text members');
  const counts = shape.counts?.(body) ?? headerCounts(headers);
  const choices = shape.choices(body).map(({ text, reason }) => ({
    text,
    finishReason: finishReasonOf(reason, ctx.strict),
  }));
  return ok({ choices, usage: plainUsage(counts.input, counts.output) });
}
