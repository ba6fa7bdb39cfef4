import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { fromJurassicChat, fromJurassicCompletion, fromJurassicEmbedding, toJurassicEmbedding } from './index.ts';

const ctx: WireContext = {
  provider: 'ai21',
  model: 'j2-ultra',
  strict: false,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};

describe('Jurassic', () => {
  test.for([
    { rule: 'a number', id: 7, want: '7' },
    { rule: 'a text', id: 'a', want: 'a' },
    { rule: 'nothing', id: '', want: 'chatcmpl-29' },
  ])('answers have an id where it is $rule', ({ id, want }) => {
    expect(unwrap(fromJurassicChat({ id, outputs: [] }, ctx)).id).toBe(want);
  });

  test('gives others the reason of the vendor, and no usage without both counts', () => {
    const completions = [{ data: { text: 'x', tokens: [1] }, finishReason: { reason: 'endoftext' } }];
    const answer = unwrap(fromJurassicCompletion({ completions }, ctx));
    expect(answer.choices[0]?.finish_reason).toBe('endoftext');
    expect(answer).not.toHaveProperty('usage');
  });

  test.for([undefined, [], [1], [['a']], { text: 'a' }])('embeds no %j', (input) => {
    expect(toJurassicEmbedding({ input }).ok).toBe(false);
  });

  test('reads any body without throwing', () => {
    const body = fc.record({ outputs: fc.jsonValue(), completions: fc.jsonValue(), results: fc.jsonValue() });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
        for (const read of [fromJurassicChat, fromJurassicCompletion, fromJurassicEmbedding]) read(value, ctx);
      }),
    );
  });
});
