import { describe, expect, test } from 'vitest';
import { readUsage } from '../usage/index.ts';
import {
  type AccountPrices,
  compileAccountPrices,
  compilePrice,
  createCatalogue,
  createPriceBook,
  type ModelPrice,
} from './index.ts';

const CATALOGUE = createCatalogue(() => Date.UTC(2026, 8, 1, 12));

const pricing = (request: string): ModelPrice =>
  compilePrice({ provider: 'p', model: 'm', usdPerMillionTokens: { request } });

const book = (overrides: Record<string, Record<string, string>> = {}) =>
  createPriceBook(
    new Map(
      Object.entries(overrides).map(([provider, models]) => [
        provider,
        new Map(Object.entries(models).map(([model, usd]) => [model, pricing(usd)])),
      ]),
    ),
    CATALOGUE,
  );

/** The price of input in US dollars per million tokens, and where it comes from. */
const found = (price: ModelPrice | undefined) =>
  price && [price.source, price.rates.input === undefined ? undefined : price.rates.input / 1e9];

const account = (provider: string, prices?: AccountPrices) => ({ provider, prices });

describe('the price of a model', () => {
  test('is that of the Integration, then of a ModelPricing, then of the catalogue', () => {
    const own = compileAccountPrices({ prices: { 'gpt-4o': { request: '1' } } });
    const prices = book({ openai: { 'gpt-4o': '2', 'gpt-4o-mini': '3' } });
    const of = (model: string, owned?: AccountPrices) =>
      found(prices.priceOf(account('openai', owned), { asked: model }));
    expect(of('gpt-4o', own)).toEqual(['integration', 1]);
    expect(of('gpt-4o')).toEqual(['pricing', 2]);
    expect(of('gpt-4o-mini', own)).toEqual(['pricing', 3]);
    expect(of('gpt-4.1', own)).toEqual(['catalogue', 2]);
  });

  test('is the default of the provider where nothing else has one', () => {
    const prices = book({ openai: { default: '9' } });
    expect(found(prices.priceOf(account('openai'), { asked: 'unheard-of' }))).toEqual(['pricing', 9]);
    expect(found(prices.priceOf(account('openai'), { asked: 'gpt-4.1' }))).toEqual(['catalogue', 2]);
    expect(prices.priceOf(account('anthropic'), { asked: 'unheard-of' })).toBeUndefined();
  });

  test('is that of the model that answered where what was asked for has none', () => {
    const deployment = { asked: 'our-deployment', answered: 'gpt-4o-2024-08-06' };
    expect(found(book().priceOf(account('azure-openai'), deployment))).toEqual(['catalogue', 2.5]);
    const priced = book({ 'azure-openai': { 'our-deployment': '4' } });
    expect(found(priced.priceOf(account('azure-openai'), deployment))).toEqual(['pricing', 4]);
  });

  test('is that of its base model where it has none', () => {
    const tuned = compileAccountPrices({ baseModels: { tuned: 'gpt-4o' } });
    const asked = { asked: 'tuned', answered: 'gpt-4.1' };
    expect(found(book().priceOf(account('openai', tuned), asked))).toEqual(['catalogue', 2.5]);
  });

  test('is that of the model that the account names, whatever is asked for', () => {
    const named = compileAccountPrices({}, 'gpt-4o');
    const asked = { asked: 'gpt-4.1', answered: 'gpt-4.1' };
    expect(found(book().priceOf(account('azure-openai', named), asked))).toEqual(['catalogue', 2.5]);
    const unknown = compileAccountPrices({}, 'unheard-of');
    expect(found(book().priceOf(account('azure-openai', unknown), { asked: 'gpt-4o' }))).toEqual(['catalogue', 2.5]);
  });

  test.for(['GPT-4o', ' gpt-4o', 'gpt-4O\n'])('does not depend on case and spaces around the name: %j', (asked) => {
    const own = compileAccountPrices({ prices: { 'gpt-4o': { request: '1' } }, baseModels: { 'gpt-4o': 'Base' } });
    const based = compileAccountPrices({ baseModels: { 'gpt-4o': 'Base' } });
    const of = (prices: Record<string, string>, owned?: AccountPrices) =>
      found(book({ openai: prices }).priceOf(account('openai', owned), { asked }));
    expect(of({ 'gpt-4o': '2' }, own)).toEqual(['integration', 1]);
    expect(of({ 'gpt-4o': '2' })).toEqual(['pricing', 2]);
    expect(of({ 'Gpt-4o': '2' })).toEqual(['pricing', 2]);
    expect(of({})).toEqual(['catalogue', 2.5]);
    expect(found(book({ groq: { base: '7' } }).priceOf(account('groq', based), { asked }))).toEqual(['pricing', 7]);
  });

  test('is that of the name as it was written where there are several in other case', () => {
    const prices = book({ openai: { Own: '1', own: '2', OWN: '3' } });
    const of = (asked: string) => found(prices.priceOf(account('openai'), { asked }));
    expect(['own', 'Own', 'OWN', 'oWN'].map(of)).toEqual([2, 1, 3, 3].map((usd) => ['pricing', usd]));
  });

  test('is multiplied unless the Integration sets it', () => {
    const discount = compileAccountPrices({ prices: { 'gpt-4o': { request: '1' } }, priceMultiplier: '0.8' });
    const prices = book({ openai: { own: '2' } });
    const of = (model: string) => found(prices.priceOf(account('openai', discount), { asked: model }));
    expect(of('gpt-4o')).toEqual(['integration', 1]);
    expect(of('own')).toEqual(['pricing', 1.6]);
    expect(of('gpt-4.1')).toEqual(['catalogue', 1.6]);
  });

  test('is made once for each multiplier', () => {
    const discount = compileAccountPrices({ priceMultiplier: '0.5' });
    const prices = book();
    const of = () => prices.priceOf(account('openai', discount), { asked: 'gpt-4.1' });
    expect(of()).toBe(of());
  });

  test.for(['', 'x'.repeat(257), '__proto__', 'constructor'])('is none for the name %s', (model) => {
    expect(book().priceOf(account('openai'), { asked: model })).toBeUndefined();
    expect(book().priceOf(account(model), { asked: 'gpt-4o' })).toBeUndefined();
  });
});

describe('the names of a model', () => {
  test.for([
    { rule: 'fine-tuned by OpenAI', provider: 'openai', listed: 'ft:gpt-x', asked: 'ft:gpt-x:org::id' },
    { rule: 'fine-tuned on Azure', provider: 'azure-openai', listed: 'gpt-x', asked: 'gpt-x.ft-8f3' },
    { rule: 'of a region group', provider: 'bedrock', listed: 'vendor.m-v1:0', asked: 'eu.vendor.m-v1:0' },
    {
      rule: 'in an ARN',
      provider: 'bedrock',
      listed: 'vendor.m-v1:0',
      asked: 'arn:aws:bedrock:us-east-1:1:inference-profile/us.vendor.m-v1:0',
    },
    { rule: 'with its publisher', provider: 'vertex-ai', listed: 'm-1', asked: 'vendor.m-1' },
    { rule: 'by size', provider: 'predibase', listed: '21b', asked: 'llama-3-8b-instruct' },
    { rule: 'by the largest size', provider: 'predibase', listed: '70b', asked: 'llama-3-405b' },
  ])('$rule', ({ provider, listed, asked }) => {
    expect(found(book({ [provider]: { [listed]: '5' } }).priceOf(account(provider), { asked }))).toEqual([
      'pricing',
      5,
    ]);
  });

  test('depend on the length of the input at Google, 128,000 tokens included', () => {
    const prices = book({ google: { 'm-1-lte-128k': '1', 'm-1-gt-128k': '2' } });
    const of = (tokens: number) =>
      found(prices.priceOf(account('google'), { asked: 'm-1' }, readUsage({ prompt_tokens: tokens })));
    expect(of(128_000)).toEqual(['pricing', 1]);
    expect(of(128_001)).toEqual(['pricing', 2]);
  });
});
