import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUsage, type TokenUsage } from '../usage/index.ts';
import { type CostOptions, compilePrice, costOf, createCatalogue, estimateCost, type ModelPrice } from './index.ts';

const CATALOGUE = createCatalogue(() => Date.UTC(2026, 8, 1));
const OK: CostOptions = { status: 200 };
const NO_USAGE = readUsage({});

const pricing = (prices: Omit<Parameters<typeof compilePrice>[0], 'provider' | 'model'>): ModelPrice =>
  compilePrice({ provider: 'openai', model: 'm', ...prices });

const listed = (provider: string, model: string): ModelPrice => {
  const price = CATALOGUE.find(provider, model);
  if (price === undefined) throw new Error(`no price for ${model}`);
  return price;
};

/** US dollars per million: 2.5 in, 1.25 cached, 10 out. */
const CHAT = pricing({ usdPerMillionTokens: { request: '2.5', cacheReadInput: '1.25', response: '10' } });

interface Row {
  readonly answer: string;
  readonly price: ModelPrice;
  readonly usage: Record<string, unknown>;
  readonly options?: Partial<CostOptions>;
  readonly nanoDollars: number;
}

describe('the cost of an answer', () => {
  test.for<Row>([
    {
      answer: 'of chat: 600 × 2500 + 400 × 1250 + 200 × 10000',
      price: CHAT,
      usage: { prompt_tokens: 1000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 400 } },
      nanoDollars: 4_000_000,
    },
    {
      answer: 'of chat with audio, part of it cached',
      price: pricing({
        usdPerMillionTokens: {
          ...{ request: '2.5', response: '10', cacheReadInput: '1.25' },
          ...{ requestAudio: '40', responseAudio: '80', cacheReadAudioInput: '2.5' },
        },
      }),
      usage: {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 40, audio_tokens: 30, cached_tokens_details: { audio_tokens: 10 } },
        completion_tokens_details: { audio_tokens: 5 },
      },
      nanoDollars: 40 * 2500 + 30 * 1250 + 10 * 2500 + 20 * 40_000 + 45 * 10_000 + 5 * 80_000,
    },
    {
      answer: 'of responses: reasoning is part of the output',
      price: listed('openai', 'gpt-5'),
      usage: { input_tokens: 75, output_tokens: 1186, output_tokens_details: { reasoning_tokens: 1024 } },
      nanoDollars: 75 * 1250 + 1186 * 10_000,
    },
    {
      answer: 'of a model whose thinking is a unit of its own',
      price: pricing({
        usdPerMillionTokens: { request: '1', response: '2' },
        additionalUnits: [{ name: 'thinking_token', usd: '0.000003' }],
      }),
      usage: { input_tokens: 10, output_tokens: 20, output_tokens_details: { reasoning_tokens: 5 } },
      nanoDollars: 10 * 1000 + 20 * 2000 + 5 * 3000,
    },
    {
      answer: 'of a priced unit that the answer does not count, whatever it is called',
      price: pricing({
        usdPerMillionTokens: { request: '1', response: '2' },
        additionalUnits: [{ name: 'constructor', usd: '1' }],
      }),
      usage: { input_tokens: 10, output_tokens: 20 },
      nanoDollars: 10 * 1000 + 20 * 2000,
    },
    {
      answer: 'of image tokens',
      price: listed('openai', 'gpt-image-1'),
      usage: { input_tokens: 50, output_tokens: 40, input_tokens_details: { text_tokens: 10, image_tokens: 40 } },
      nanoDollars: 10 * 5000 + 40 * 10_000 + 40 * 40_000,
    },
    {
      answer: 'of two images by the piece, whose tokens are not paid',
      price: pricing({
        usdPerMillionTokens: { requestText: '5', requestImage: '10', responseText: '8' },
        images: [
          { quality: 'default', size: 'default', usd: '0.01' },
          { quality: 'high', size: '1024x1024', usd: '0.167' },
        ],
      }),
      usage: { input_tokens: 50, output_tokens: 9000, input_tokens_details: { text_tokens: 10, image_tokens: 40 } },
      options: { images: { quality: 'high', size: '1024x1024', count: 2 } },
      nanoDollars: 10 * 5000 + 40 * 10_000 + 334_000_000,
    },
    {
      answer: 'of an image of no listed quality',
      price: pricing({ images: [{ quality: 'default', size: 'default', usd: '0.01' }] }),
      usage: {},
      options: { images: { quality: 'low', count: 1 } },
      nanoDollars: 10_000_000,
    },
    {
      answer: 'of a transcription by tokens',
      price: listed('openai', 'gpt-4o-transcribe'),
      usage: { input_tokens: 14, output_tokens: 45, input_token_details: { text_tokens: 0, audio_tokens: 14 } },
      nanoDollars: 14 * 6000 + 45 * 10_000,
    },
    {
      answer: 'of a transcription by seconds: a minute at 0.36 an hour',
      price: listed('openai', 'whisper-1'),
      usage: { type: 'duration', seconds: 60 },
      nanoDollars: 6_000_000,
    },
    {
      answer: 'of messages with both caches and searches',
      price: listed('anthropic', 'claude-sonnet-4-5'),
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 500,
        cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 200 },
        server_tool_use: { web_search_requests: 3 },
      },
      nanoDollars: 3 * 3000 + 1000 * 300 + 300 * 3750 + 200 * 6000 + 4 * 15_000 + 3 * 10_000_000,
    },
    {
      answer: 'of Gemini up to the long context',
      price: listed('google', 'gemini-2.5-pro'),
      usage: { prompt_tokens: 200_000, completion_tokens: 10 },
      nanoDollars: 200_000 * 1250 + 10 * 10_000,
    },
    {
      answer: 'of Gemini beyond it: all tokens at the higher price',
      price: listed('google', 'gemini-2.5-pro'),
      usage: { prompt_tokens: 200_001, completion_tokens: 10 },
      nanoDollars: 200_001 * 2500 + 10 * 15_000,
    },
    {
      answer: 'of Bedrock',
      price: listed('bedrock', 'amazon.nova-pro-v1:0'),
      usage: { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 500 } },
      nanoDollars: 500 * 800 + 500 * 200 + 10 * 3200,
    },
    {
      answer: 'of Cohere',
      price: listed('cohere', 'command-r-plus'),
      usage: { prompt_tokens: 100, completion_tokens: 20 },
      nanoDollars: 100 * 2500 + 20 * 10_000,
    },
    {
      answer: 'of Perplexity, with a price of the call',
      price: listed('perplexity-ai', 'sonar-reasoning-pro'),
      usage: { prompt_tokens: 100, completion_tokens: 50 },
      nanoDollars: 100 * 2000 + 50 * 8000 + 14_000_000,
    },
    {
      answer: 'of a batch: half of it',
      price: CHAT,
      usage: { prompt_tokens: 1000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 400 } },
      options: { batch: true },
      nanoDollars: 2_000_000,
    },
    {
      answer: 'of a batch with prices of its own: half where it has none',
      price: pricing({
        usdPerMillionTokens: { request: '2.5', cacheReadInput: '1.25', response: '10' },
        batchUsdPerMillionTokens: { response: '6' },
      }),
      usage: { prompt_tokens: 1000, completion_tokens: 200, prompt_tokens_details: { cached_tokens: 400 } },
      options: { batch: true },
      nanoDollars: 600 * 1250 + 400 * 625 + 200 * 6000,
    },
    {
      answer: 'of half a nano-dollar, rounded up',
      price: pricing({ usdPerMillionTokens: { request: '0.0005' } }),
      usage: { prompt_tokens: 1 },
      nanoDollars: 1,
    },
    {
      answer: 'of less than that, rounded down',
      price: pricing({ usdPerMillionTokens: { request: '0.000499999' } }),
      usage: { prompt_tokens: 1 },
      nanoDollars: 0,
    },
    {
      answer: 'beyond the numbers that are exact',
      price: pricing({ usdPerMillionTokens: { request: '600.000000001', response: '0' } }),
      usage: { prompt_tokens: 1_000_000_000 },
      nanoDollars: 600_000_000_001_000,
    },
  ])('$answer', ({ price, usage, options, nanoDollars }) => {
    expect(costOf(price, readUsage(usage), { ...OK, ...options })).toEqual({ nanoDollars, unpriced: false });
  });

  test('is nothing for an error of the provider', () => {
    expect(costOf(CHAT, readUsage({ prompt_tokens: 5 }), { status: 500 })).toEqual({ nanoDollars: 0, unpriced: false });
  });

  test.for([
    { what: 'a model without a price', price: undefined, usage: { prompt_tokens: 5 } },
    {
      what: 'cached tokens without a price',
      price: pricing({ usdPerMillionTokens: { request: '0' } }),
      usage: cached(),
    },
    { what: 'audio without a price', price: pricing({ usdPerMillionTokens: { request: '0' } }), usage: audio() },
  ])('is nothing, and marked, for $what', ({ price, usage }) => {
    expect(costOf(price, readUsage(usage), OK)).toEqual({ nanoDollars: 0, unpriced: true });
  });

  test('is nothing, and marked, for images that have no price and report no tokens', () => {
    const price = pricing({ usdPerMillionTokens: { request: '5', response: '8' } });
    expect(costOf(price, NO_USAGE, { ...OK, images: { count: 2 } })).toEqual({ nanoDollars: 0, unpriced: true });
  });

  test('is not marked where nothing was used', () => {
    expect(costOf(undefined, NO_USAGE, OK)).toEqual({ nanoDollars: 0, unpriced: false });
  });
});

function cached(): Record<string, unknown> {
  return { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 5 } };
}

function audio(): Record<string, unknown> {
  return { prompt_tokens: 5, prompt_tokens_details: { audio_tokens: 5 } };
}

const count = fc.integer({ min: 0, max: 2_000_000 });
const usd = fc
  .tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([whole, billionths]) => `${whole}.${String(billionths).padStart(9, '0')}`);
/** Any usage, also of a provider that adds up wrongly. */
const usages: fc.Arbitrary<TokenUsage> = fc
  .record({
    prompt_tokens: count,
    completion_tokens: count,
    cache_creation_input_tokens: count,
    prompt_tokens_details: fc.record({ cached_tokens: count, audio_tokens: count, image_tokens: count }),
    completion_tokens_details: fc.record({ reasoning_tokens: count, audio_tokens: count, image_tokens: count }),
  })
  .map(readUsage);

describe('costs', () => {
  test('are exact: of plain tokens, what the decimals give', () => {
    fc.assert(
      fc.property(count, count, usd, usd, (input, output, request, response) => {
        const price = pricing({ usdPerMillionTokens: { request, response } });
        const billionths = (text: string): bigint => BigInt(text.replace('.', ''));
        const exact = BigInt(input) * billionths(request) + BigInt(output) * billionths(response);
        const { nanoDollars } = costOf(price, readUsage({ prompt_tokens: input, completion_tokens: output }), OK);
        expect(BigInt(nanoDollars)).toBe((exact + 500_000n) / 1_000_000n);
        expect(estimateCost(price, { input, output })).toBe(nanoDollars);
      }),
    );
  });

  test('charge each token of a sound usage once', () => {
    const part = fc.integer({ min: 0, max: 100_000 });
    const parts = fc.record({ plain: part, cached: part, audio: part, said: part, words: part });
    const flat = pricing({
      usdPerMillionTokens: {
        ...{ request: '7', response: '7', cacheReadInput: '7', cacheWriteInput: '7' },
        ...{ requestAudio: '7', responseAudio: '7', cacheReadAudioInput: '7' },
      },
    });
    fc.assert(
      fc.property(parts, ({ plain, cached: read, audio: heard, said, words }) => {
        const usage = readUsage({
          prompt_tokens: plain + read + heard,
          completion_tokens: said + words,
          prompt_tokens_details: { cached_tokens: read, audio_tokens: heard },
          completion_tokens_details: { audio_tokens: said },
        });
        expect(costOf(flat, usage, OK).nanoDollars).toBe((plain + read + heard + said + words) * 7000);
      }),
    );
  });

  test('are whole, never negative, and never less for more output', () => {
    fc.assert(
      fc.property(usages, usd, usd, count, (usage, request, response, more) => {
        const price = pricing({ usdPerMillionTokens: { request, response, cacheReadInput: request } });
        const { nanoDollars } = costOf(price, usage, OK);
        expect(Number.isSafeInteger(nanoDollars) && nanoDollars >= 0).toBe(true);
        const longer = { ...usage, output: usage.output + more };
        expect(costOf(price, longer, OK).nanoDollars).toBeGreaterThanOrEqual(nanoDollars);
      }),
    );
  });

  test('of two halves differ from that of the whole by their rounding alone', () => {
    fc.assert(
      fc.property(count, count, usd, (first, second, request) => {
        const price = pricing({ usdPerMillionTokens: { request } });
        const of = (input: number): number => costOf(price, readUsage({ prompt_tokens: input }), OK).nanoDollars;
        expect(Math.abs(of(first) + of(second) - of(first + second))).toBeLessThanOrEqual(1);
      }),
    );
  });
});
