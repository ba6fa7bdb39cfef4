/** Prices of resources, as entries of a Snapshot have them. */
import type { EntryBody, PriceBody, TokenPrices } from '@gatehouse/crds/snapshot';
import {
  type ModelPrice,
  NO_IMAGES,
  NO_RATES,
  NO_TIERS,
  type RateName,
  type Rates,
  toBillionths,
  toRate,
} from './rates.ts';

/** Prices of an account that come before all others, and what its other prices are multiplied with. */
export interface AccountPrices {
  /** By model. */
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** In billionths; undefined: 1. */
  readonly factor: bigint | undefined;
  /** The model whose price counts where a model has none. */
  readonly bases: ReadonlyMap<string, string>;
  /** The model whose price counts, whatever is asked for; undefined: that which is asked for. */
  readonly named: string | undefined;
}

type AccountPriceBody = Pick<EntryBody<'provider'>, 'prices' | 'priceMultiplier' | 'baseModels'>;

/** What a call with a credential of its own says of its price; undefined: nothing. */
export const namedPrice = (named: string | undefined): AccountPrices | undefined =>
  named === undefined ? undefined : { models: NO_MODELS, factor: undefined, bases: NO_BASES, named };

const NO_MODELS: AccountPrices['models'] = new Map();
const NO_BASES: AccountPrices['bases'] = new Map();

/** The prices that an account or its Integration sets; undefined: none. `named`: the model whose price counts. */
export function compileAccountPrices(
  { prices, priceMultiplier, baseModels }: AccountPriceBody,
  named?: string,
): AccountPrices | undefined {
  if (prices === undefined && priceMultiplier === undefined && baseModels === undefined) return namedPrice(named);
  const models = Object.entries(prices ?? {}).map(
    ([model, perMillion]) =>
      [
        model,
        {
          source: 'integration',
          rates: tokenRates(perMillion),
          tiers: NO_TIERS,
          batch: NO_RATES,
          images: NO_IMAGES,
        } satisfies ModelPrice,
      ] as const,
  );
  return {
    models: new Map(models),
    factor: priceMultiplier === undefined ? undefined : toBillionths(priceMultiplier),
    bases: new Map(Object.entries(baseModels ?? {})),
    named,
  };
}

/** The price of a ModelPricing. */
export function compilePrice(body: PriceBody): ModelPrice {
  const { usdPerRequest, additionalUnits = [], images = [], finetuneUsdPerMillionTokens, finetuneUsdPerHour } = body;
  const units = Object.fromEntries([
    ...additionalUnits.map(({ name, usd }) => [name, toRate(usd, 1)] as const),
    ...(finetuneUsdPerMillionTokens === undefined
      ? []
      : [['finetune_token_units', toRate(finetuneUsdPerMillionTokens)] as const]),
    ...(finetuneUsdPerHour === undefined ? [] : [['finetune_training_hours', toRate(finetuneUsdPerHour, 1)] as const]),
  ]);
  return {
    source: 'pricing',
    rates: {
      ...tokenRates(body.usdPerMillionTokens ?? {}),
      ...(usdPerRequest === undefined ? {} : { call: toRate(usdPerRequest, 1) }),
      ...(Object.keys(units).length === 0 ? {} : { units }),
    },
    tiers: NO_TIERS,
    batch: tokenRates(body.batchUsdPerMillionTokens ?? {}),
    images: images.map(({ quality, size, usd }) => ({ quality, size, rate: toRate(usd, 1) })),
  };
}

/** The first of the names that has a price is the rate. */
const RATE_NAMES = {
  input: ['requestText', 'request'],
  output: ['responseText', 'response'],
  cacheRead: ['cachedTextInput', 'cacheReadInput'],
  cacheWrite: ['cacheWriteInput'],
  audioInput: ['requestAudio'],
  audioOutput: ['responseAudio'],
  audioCacheRead: ['cacheReadAudioInput'],
  imageInput: ['requestImage'],
  imageCacheRead: ['cachedImageInput'],
} as const satisfies Partial<Record<RateName, readonly (keyof TokenPrices)[]>>;

function tokenRates(prices: TokenPrices): Rates {
  const rates = Object.entries(RATE_NAMES).flatMap(([rate, names]) => {
    const usd = names.map((name) => prices[name]).find((price) => price !== undefined);
    return typeof usd === 'string' ? [[rate, toRate(usd)] as const] : [];
  });
  return Object.fromEntries(rates);
}
