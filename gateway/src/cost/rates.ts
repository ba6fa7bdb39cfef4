/** Prices as exact integers: decimals of resources and of the catalogue become rates once, when they are loaded. */

/** Nano-dollars per million units, an integer: a US dollar per million tokens is 1e9. */
export type Rate = number;

/** The rates of one model. A kind of token without a rate costs nothing and is reported as unpriced. */
export interface Rates {
  /** Of one call. Nano-dollars per million calls. */
  readonly call?: Rate;
  readonly input?: Rate;
  readonly output?: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite?: Rate;
  /** Tokens written to the cache for an hour; absent: as `cacheWrite`. */
  readonly cacheWriteHour?: Rate;
  readonly audioInput?: Rate;
  readonly audioOutput?: Rate;
  readonly audioCacheRead?: Rate;
  /** Image tokens; absent: as the tokens they are part of. */
  readonly imageInput?: Rate;
  readonly imageOutput?: Rate;
  readonly imageCacheRead?: Rate;
  /** Reasoning tokens in place of `output`; absent: as `output`. */
  readonly reasoning?: Rate;
  /** By the name of the unit, e.g. `web_search`. */
  readonly units?: Readonly<Record<string, Rate>>;
}

export type RateName = Exclude<keyof Rates, 'units'>;

/** Rates of calls with more input than `above` tokens. */
export interface Tier {
  readonly above: number;
  readonly rates: Rates;
}

/** The price of one generated image, by quality and size as requested. */
export interface ImagePrice {
  readonly quality: string;
  readonly size: string;
  readonly rate: Rate;
}

/** Where a price comes from. */
export type PriceSource = 'integration' | 'pricing' | 'catalogue';

/** What a model costs. */
export interface ModelPrice {
  readonly source: PriceSource;
  readonly rates: Rates;
  /** By rising `above`. */
  readonly tiers: readonly Tier[];
  /** Of batches, where they are not half of the others. */
  readonly batch: Rates;
  /** Generated images are paid by the piece, and their tokens are not. */
  readonly images: readonly ImagePrice[];
}

export const NO_TIERS: readonly Tier[] = [];
export const NO_RATES: Rates = {};
export const NO_IMAGES: readonly ImagePrice[] = [];

const SCALE_DIGITS = 9;
const SCALE = 1_000_000_000n;
export const PER_MILLION = 1_000_000;
const HIGHEST_RATE = BigInt(Number.MAX_SAFE_INTEGER);

/** A decimal with up to 9 decimal places, in billionths. Throws for other text. */
export function toBillionths(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(SCALE_DIGITS, '0'));
}

/** The rate of a price in US dollars per `units` units; a rate that is no safe integer is the highest that is. */
export const toRate = (usd: string, units = PER_MILLION): Rate =>
  toSafe((toBillionths(usd) * BigInt(PER_MILLION) + BigInt(units) / 2n) / BigInt(units));

/** All rates of a price times a factor in billionths, rounded once. */
export const scalePrice = (price: ModelPrice, factor: bigint): ModelPrice => {
  const scale = (rate: Rate): Rate => toSafe((BigInt(rate) * factor + SCALE / 2n) / SCALE);
  return {
    source: price.source,
    rates: mapRates(price.rates, scale),
    tiers: price.tiers.map(({ above, rates }) => ({ above, rates: mapRates(rates, scale) })),
    batch: mapRates(price.batch, scale),
    images: price.images.map((image) => ({ ...image, rate: scale(image.rate) })),
  };
};

/** The rates with each one mapped. */
export function mapRates({ units, ...rates }: Rates, map: (rate: Rate) => Rate): Rates {
  const mapped = (from: Readonly<Record<string, Rate>>): Record<string, Rate> =>
    Object.fromEntries(Object.entries(from).map(([name, rate]) => [name, map(rate)]));
  return { ...mapped(rates), ...(units === undefined ? {} : { units: mapped(units) }) };
}

const toSafe = (rate: bigint): Rate => Number(rate < HIGHEST_RATE ? rate : HIGHEST_RATE);
