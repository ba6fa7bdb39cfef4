/** Answers that consist of texts only, for checks of a part of a stream. */
import { isObject } from '@gatehouse/crds';
import type { TextProtocol } from '../../../guardrails/stream/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';

interface Shape {
  answer(texts: readonly string[]): JsonObject;
  /** Whether it has one text only. */
  readonly isSingle: boolean;
  /** In the order of `answer`; undefined where an answer has none. */
  texts(answer: JsonObject): readonly (string | undefined)[];
}

const chunked = (object: string, choice: (text: string) => JsonObject, read: (choice: unknown) => unknown): Shape => ({
  isSingle: true,
  answer: (texts) => ({ object, choices: [{ index: 0, ...choice(texts.join('\n')), finish_reason: null }] }),
  texts: ({ choices }) => [textOf(read(Array.isArray(choices) ? choices[0] : undefined))],
});

const SHAPES: Readonly<Record<TextProtocol, Shape>> = {
  chat: chunked(
    'chat.completion',
    (content) => ({ message: { role: 'assistant', content } }),
    (choice) => member(member(choice, 'message'), 'content'),
  ),
  completion: chunked(
    'text_completion',
    (text) => ({ text }),
    (choice) => member(choice, 'text'),
  ),
  messages: {
    isSingle: false,
    answer: (texts) => ({
      type: 'message',
      role: 'assistant',
      content: texts.map((text) => ({ type: 'text', text })),
    }),
    texts: ({ content }) => listOf(content).map((block) => textOf(member(block, 'text'))),
  },
  responses: {
    isSingle: false,
    answer: (texts) => ({
      object: 'response',
      output: texts.map((text) => ({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      })),
    }),
    texts: ({ output }) => listOf(output).map((item) => textOf(member(listOf(member(item, 'content'))[0], 'text'))),
  },
};

const member = (owner: unknown, name: string): unknown => (isObject(owner) ? owner[name] : undefined);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const answerOf = (protocol: TextProtocol, texts: readonly string[]): JsonObject =>
  SHAPES[protocol].answer(texts);

export const textsOf = (protocol: TextProtocol, answer: JsonObject): readonly (string | undefined)[] =>
  SHAPES[protocol].texts(answer);

/** The texts as answers have them: all in one, or each in its own. */
export const answerGroups = (protocol: TextProtocol, texts: readonly string[]): readonly (readonly string[])[] =>
  SHAPES[protocol].isSingle ? texts.map((text) => [text]) : [texts];
