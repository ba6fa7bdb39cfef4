import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { readChatAnswer, readCompletionAnswer } from './chat-answer.ts';
import { withContentBlocks } from './content-blocks.ts';
import type { OpenAiDialect } from './dialect.ts';
import { embeddingsBody, modelEntry, modelsBody, promptUsage } from './lists.ts';

const ctx = (over: Partial<WireContext> = {}): WireContext => ({
  provider: 'acme',
  model: 'asked',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => prefix + 'n'.repeat(length),
  ...over,
});

describe('a chat answer', () => {
  test('is completed where members are missing, and keeps the rest', () => {
    expect(unwrap(readChatAnswer({ choices: [], x: 1 }, ctx(), {}))).toEqual({
      choices: [],
      x: 1,
      id: `chatcmpl-${'n'.repeat(29)}`,
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'asked',
      provider: 'acme',
    });
  });

  test('is repaired by its dialect: body, message, usage, finish reason', () => {
    const dialect: OpenAiDialect = {
      ownFinishReasons: true,
      body: (body) => ({ ...body, repaired: true }),
      message: (message) => ({ ...message, content: 'new' }),
      usage: (usage) => ({ ...usage, more: 1 }),
    };
    const body = {
      id: 'i',
      choices: [{ message: { content: 'old' }, finish_reason: 'eos' }, 'odd'],
      usage: { total_tokens: 1 },
    };
    expect(unwrap(readChatAnswer(body, ctx(), dialect))).toMatchObject({
      repaired: true,
      choices: [{ message: { content: 'new' }, finish_reason: 'stop' }, 'odd'],
      usage: { total_tokens: 1, more: 1 },
    });
    expect(unwrap(readChatAnswer(body, ctx({ strict: false }), dialect))).toMatchObject({
      choices: [{ finish_reason: 'eos' }, 'odd'],
    });
  });

  test.for([[null], ['text'], [{}], [{ choices: 'x' }], [[]]])('is none without choices: %j', ([body]) => {
    expect(readChatAnswer(body, ctx(), {}).ok).toBe(false);
    expect(readCompletionAnswer(body, ctx(), {}).ok).toBe(false);
  });

  test('of text completions is filled up as such', () => {
    expect(unwrap(readCompletionAnswer({ choices: [] }, ctx({ strict: false }), {}))).toMatchObject({
      object: 'text_completion',
    });
  });
});

describe('blocks for clients that are not strict', () => {
  const blocks = (message: object): unknown => {
    const body = withContentBlocks({ choices: [{ message }] }) as {
      choices: { message: { content_blocks?: unknown } }[];
    };
    return body.choices[0]?.message.content_blocks;
  };

  test.for<[rule: string, message: object, want: unknown]>([
    [
      'hold reasoning_content and text',
      { content: 'T', reasoning_content: 'R' },
      [
        { type: 'thinking', thinking: 'R' },
        { type: 'text', text: 'T' },
      ],
    ],
    ['hold reasoning', { content: null, reasoning: 'R' }, [{ type: 'thinking', thinking: 'R' }]],
    [
      'hold its signature',
      { content: '', reasoning: 'R', reasoning_details: [{}, { signature: 's' }] },
      [{ type: 'thinking', thinking: 'R', signature: 's' }],
    ],
    ["are the upstream's own when it has them", { reasoning: 'R', content_blocks: [] }, []],
    ['are not there without reasoning', { content: 'T', reasoning: '' }, undefined],
  ])('%s', ([, message, want]) => {
    expect(blocks(message)).toEqual(want);
  });

  test.for<[body: JsonObject]>([[{}], [{ choices: 'x' }], [{ choices: [null, {}, { message: 'x' }] }]])(
    'change nothing else: %j',
    ([body]) => {
      expect(withContentBlocks(body)).toBe(body);
    },
  );
});

test('lists have the shapes of OpenAI', () => {
  expect(embeddingsBody({ provider: 'p', model: 'm', vectors: [[1], 'AAAA'], usage: promptUsage(3) })).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [1] },
      { object: 'embedding', index: 1, embedding: 'AAAA' },
    ],
    model: 'm',
    usage: { prompt_tokens: 3, total_tokens: 3 },
    provider: 'p',
  });
  expect(embeddingsBody({ provider: 'p', model: 'm', vectors: [] })).not.toHaveProperty('usage');
  expect(modelsBody('p', [modelEntry('m', 'o')])).toEqual({
    object: 'list',
    data: [{ id: 'm', object: 'model', created: 0, owned_by: 'o' }],
    provider: 'p',
  });
});
