import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { fromPalmChat, fromPalmCompletion, fromPalmEmbedding, toPalmEmbedding } from './index.ts';

const ctx: WireContext = {
  provider: 'palm',
  model: 'chat-bison-001',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};

describe('the PaLM API', () => {
  test.for([undefined, [], ['a', 'b'], [1], { text: 'a' }])('embeds no %j', (input) => {
    expect(toPalmEmbedding({ input }).ok).toBe(false);
  });

  test.for([null, [], {}, { candidates: 'x', filters: 'y' }, { embedding: { value: 1 } }])('answers no %j', (body) => {
    for (const read of [fromPalmChat, fromPalmCompletion, fromPalmEmbedding]) expect(read(body, ctx).ok).toBe(false);
  });

  test('reads any body without throwing', () => {
    const body = fc.record({ candidates: fc.jsonValue(), filters: fc.jsonValue(), embedding: fc.jsonValue() });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
        for (const read of [fromPalmChat, fromPalmCompletion, fromPalmEmbedding]) read(value, ctx);
      }),
    );
  });
});
