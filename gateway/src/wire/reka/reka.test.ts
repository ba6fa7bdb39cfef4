import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { fromReka, toRekaBody } from './index.ts';

const ctx: WireContext = {
  provider: 'reka-ai',
  model: 'reka-flash',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};

const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
  content: fc.constantFrom('', 'a', 'b'),
});

describe("Reka's chat", () => {
  test('gets turns that alternate and begin with a human one, with every text', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const { conversation_history: history } = toRekaBody({ messages }, 'm') as {
          conversation_history: { type: string; text: string }[];
        };
        const alternating = history.map((_, at) => (at % 2 === 0 ? 'human' : 'model'));
        expect(history.map(({ type }) => type)).toEqual(alternating);
        const said = history.map(({ text }) => text).filter((text) => text.length === 1);
        expect(said).toEqual(messages.map(({ content }) => content).filter((text) => text !== ''));
      }),
    );
  });

  test('answers without usage where a count is missing', () => {
    const answer = unwrap(fromReka({ text: '', metadata: { input_tokens: 1 } }, ctx));
    expect(answer.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'stop' });
    expect(answer).not.toHaveProperty('usage');
  });

  test('ends with its own words for clients that are not strict', () => {
    const read = (strict: boolean) => unwrap(fromReka({ text: 'x', finish_reason: 'context' }, { ...ctx, strict }));
    expect([read(true), read(false)].map(({ choices }) => choices[0]?.finish_reason)).toEqual(['length', 'context']);
  });

  test.for([null, [], {}, { text: 1 }])('answers no %j', (body) => {
    expect(fromReka(body, ctx).ok).toBe(false);
  });
});
