/** The form of the generated list: one model on a line, `[patterns, prices, prices from a date …]`. */
import {
  type ModelPrice,
  NO_IMAGES,
  NO_RATES,
  type Rate,
  type RateName,
  type Rates,
  type Tier,
  toRate,
} from '../rates.ts';

/** US dollars per million, or `[base, [above, price] …]` where the price depends on the tokens of the input. */
export type ListedPrice = string | readonly [string, ...(readonly [above: number, usd: string])[]];

/** By rate, and by name of the unit, in US dollars per million. Of several that hold, the last counts. */
export interface ListedPrices {
  readonly rates: Readonly<Partial<Record<RateName, ListedPrice>>>;
  readonly units?: Readonly<Record<string, string>>;
  /** The first day that they hold, as YYYY-MM-DD in UTC; absent: always. */
  readonly from?: string;
  /** The time of each day that they hold, as HH:MM in UTC, the end not included; absent: all day. */
  readonly daily?: readonly [start: string, end: string];
}

/**
 * A name, with `*` for any text at its beginning or end; `/…/`: a regular expression; a list: all of them. In lower case but for
 * expressions.
 */
export type ListedPattern = string | readonly string[];

export type ListedModel = readonly [patterns: readonly ListedPattern[], ...prices: ListedPrices[]];

/** Whether the row is for the model. */
export const matches = ([patterns]: ListedModel, model: string): boolean => {
  const name = model.toLowerCase();
  const fits = (pattern: string): boolean => {
    if (pattern.startsWith('/')) return new RegExp(pattern.slice(1, -1)).test(model);
    const starts = pattern.endsWith('*');
    const ends = pattern.startsWith('*');
    const text = pattern.slice(ends ? 1 : 0, starts ? -1 : undefined);
    if (starts && ends) return name.includes(text);
    if (starts) return name.startsWith(text);
    return ends ? name.endsWith(text) : name === text;
  };
  return patterns.some((pattern) => (typeof pattern === 'string' ? fits(pattern) : pattern.every(fits)));
};

/** The price that holds at the time. Tokens of a kind without a price of its own cost what they are part of. */
export function compileListed([, ...periods]: ListedModel, at: Date): ModelPrice {
  const { rates = {}, units = {} } = periods.findLast((period) => holdsAt(period, at)) ?? periods[0] ?? {};
  const unitRates = Object.fromEntries(Object.entries(units).map(([name, usd]) => [name, toRate(usd)]));
  const ratesAt = (input: number): Rates =>
    withDefaults(
      Object.fromEntries(Object.entries(rates).map(([name, price]) => [name, rateAt(price, input)])),
      unitRates,
    );
  const starts = new Set(Object.values(rates).flatMap((price) => tiersOf(price).map(([above]) => above)));
  const tiers: Tier[] = [...starts].sort((a, b) => a - b).map((above) => ({ above, rates: ratesAt(above + 1) }));
  return { source: 'catalogue', rates: ratesAt(0), tiers, batch: NO_RATES, images: NO_IMAGES };
}

function holdsAt({ from = '', daily }: ListedPrices, at: Date): boolean {
  const text = at.toISOString();
  if (from > text.slice(0, 'YYYY-MM-DD'.length)) return false;
  if (daily === undefined) return true;
  const time = text.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length);
  const [start, end] = daily;
  return start <= end ? start <= time && time < end : start <= time || time < end;
}

const tiersOf = (price: ListedPrice): readonly (readonly [number, string])[] =>
  typeof price === 'string' ? [] : price.slice(1).filter((tier) => typeof tier !== 'string');

function rateAt(price: ListedPrice, input: number): Rate {
  const base = typeof price === 'string' ? price : price[0];
  return toRate(tiersOf(price).findLast(([above]) => input > above)?.[1] ?? base);
}

function withDefaults(rates: Rates, units: Readonly<Record<string, Rate>>): Rates {
  const { input, output, cacheRead = input } = rates;
  const defaults: Record<string, Rate | undefined> = {
    cacheRead,
    cacheWrite: input,
    audioInput: input,
    audioOutput: output,
    audioCacheRead: cacheRead,
  };
  const given = Object.entries(defaults).flatMap(([name, rate]) => (rate === undefined ? [] : [[name, rate] as const]));
  return { ...Object.fromEntries(given), ...rates, ...(Object.keys(units).length === 0 ? {} : { units }) };
}
