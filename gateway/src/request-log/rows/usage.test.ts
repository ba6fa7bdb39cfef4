import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf, type ModelPrice } from '../../cost/index.ts';
import type { ImagesAsked } from '../../record/index.ts';
import { sampleAttempt, sampleRecord } from '../../record/testing.ts';
import type { TokenUsage } from '../../usage/index.ts';
import { rowsOf } from './rows.ts';
import { fromLogUsage, toLogUsage } from './usage.ts';

const count = fc.nat(50_000);
const modality = fc.record({ input: count, output: count, cached: count });
const usage: fc.Arbitrary<TokenUsage> = fc.record({
  ...{ input: count, output: count, total: count, cached: count, cacheWrite: count, cacheWriteHour: count },
  ...{ reasoning: count, text: modality, audio: modality, image: modality },
  units: fc.dictionary(fc.constantFrom('web_search', 'audio_second'), fc.integer({ min: 1, max: 900 })),
});

/** Every kind of token has a rate of its own, so that none can stand for another. */
const PRICE: ModelPrice = {
  source: 'pricing',
  rates: {
    ...{ call: 3, input: 5, output: 7, cacheRead: 11, cacheWrite: 13, cacheWriteHour: 17, audioInput: 19 },
    ...{ audioOutput: 23, audioCacheRead: 29, imageInput: 31, imageOutput: 37, imageCacheRead: 41, reasoning: 43 },
    units: { web_search: 47_000_000, audio_second: 53_000_000 },
  },
  tiers: [{ above: 20_000, rates: { input: 59, output: 61 } }],
  batch: {},
  images: [{ quality: 'high', size: '1024x1024', rate: 67_000_000 }],
};

const images = fc.option(
  fc.record({ count: fc.nat(9), quality: fc.constantFrom('high', 'low'), size: fc.constant('1024x1024') }),
  { nil: undefined },
);

test('a row has all that its cost depends on', () => {
  fc.assert(
    fc.property(usage, images, (used, asked) => {
      const attempt = sampleAttempt({ usage: used, images: asked });
      const [row] = rowsOf(sampleRecord({ attempts: [attempt] }), { gatewayVersion: '1' });
      const kept = row?.decision.usage;
      if (row === undefined || kept === undefined) throw new Error('nothing was kept');
      const read = fromLogUsage(row, JSON.parse(JSON.stringify(kept)));
      const cost = (of: TokenUsage, drawn: ImagesAsked | undefined) =>
        costOf(PRICE, of, { status: 200, ...(drawn && { images: drawn }) });
      expect(cost(read.usage, read.images)).toEqual(cost(used, asked));
    }),
  );
});

const COST = { nanoDollars: 1, unpriced: false, estimated: false };

test.for([
  { rule: 'nothing was used', over: { usage: undefined } },
  { rule: 'nothing was charged', over: { cost: undefined } },
  { rule: 'several answers were priced each on its own', over: { cost: { ...COST, isGiven: true as const } } },
  { rule: 'the size is any text', over: { images: { count: 1, size: 'my secret size' } } },
])('nothing is kept where $rule', ({ over }) => {
  expect(toLogUsage(sampleAttempt(over))).toBe(undefined);
});

test('plain answers of text keep no more than a mark', () => {
  expect(toLogUsage(sampleAttempt())).toEqual({});
});
