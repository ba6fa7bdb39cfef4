/** Finds the price of a model: of the account, of a ModelPricing, of the catalogue. */
import type { TokenUsage } from '../usage/index.ts';
import type { Catalogue } from './catalogue/index.ts';
import type { AccountPrices } from './compile.ts';
import { priceNames } from './model-names.ts';
import { type ModelPrice, scalePrice } from './rates.ts';

/** The account that a call is made with. */
export interface PricedAccount {
  /** Id of the provider. */
  readonly provider: string;
  readonly prices?: AccountPrices | undefined;
}

/** The models of one call. */
export interface PricedModel {
  /** As the call names it; empty: it names none. */
  readonly asked: string;
  /** As the answer names it: it counts where what was asked for has no price, like the name of a deployment. */
  readonly answered?: string | undefined;
}

export interface PriceBook {
  /** Undefined: nothing sets a price. `usage`: of the answer, where prices depend on it. */
  priceOf(account: PricedAccount, model: PricedModel, usage?: TokenUsage): ModelPrice | undefined;
}

/** The prices of ModelPricings, by provider and model. */
export interface PriceOverrides {
  get(provider: string): ReadonlyMap<string, ModelPrice> | undefined;
}

/** A ModelPricing for it is for all models of its provider that have no price. */
const DEFAULT_MODEL = 'default';
/** Longer names are no models. */
const MAX_MODEL_CHARS = 256;

export function createPriceBook(overrides: PriceOverrides, catalogue: Catalogue): PriceBook {
  const scaled = new WeakMap<ModelPrice, Map<bigint, ModelPrice>>();
  /** There are as many factors as Integrations that have one. */
  const times = (price: ModelPrice, factor: bigint): ModelPrice => {
    const known = scaled.get(price) ?? new Map<bigint, ModelPrice>();
    scaled.set(price, known);
    const product = known.get(factor) ?? scalePrice(price, factor);
    known.set(factor, product);
    return product;
  };
  const listed = (provider: string, names: readonly string[]): ModelPrice | undefined =>
    firstNamed(overrides.get(provider), names) ?? firstOf(names, (name) => catalogue.find(provider, name));
  const find = ({ provider, prices }: PricedAccount, model: string, input: number | undefined) => {
    if (model === '' || model.length > MAX_MODEL_CHARS) return undefined;
    const names = priceNames(provider, model.trim(), input);
    return firstNamed(prices?.models, names) ?? listed(provider, names);
  };
  const findNamed = (account: PricedAccount, model: string | undefined, input: number | undefined) =>
    model === undefined ? undefined : find(account, model, input);
  return {
    priceOf(account, { asked, answered }, usage) {
      const { provider, prices } = account;
      const price =
        findNamed(account, prices?.named, usage?.input) ??
        find(account, asked, usage?.input) ??
        findNamed(account, firstNamed(prices?.bases, [asked.trim()]), usage?.input) ??
        findNamed(account, answered, usage?.input) ??
        overrides.get(provider)?.get(DEFAULT_MODEL);
      if (price === undefined || prices?.factor === undefined || price.source === 'integration') return price;
      return times(price, prices.factor);
    },
  };
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of the names that the table has; else the first that it has in other case: some providers accept models in any. */
function firstNamed<T>(table: ReadonlyMap<string, T> | undefined, names: readonly string[]): T | undefined {
  if (table === undefined) return undefined;
  return (
    firstOf(names, (name) => table.get(name)) ??
    firstOf(names, (name) => {
      const written = spellingsOf(table).get(fold(name));
      return written === undefined ? undefined : table.get(written);
    })
  );
}

const fold = (name: string): string => name.trim().toLowerCase();

const spellings = new WeakMap<ReadonlyMap<string, unknown>, ReadonlyMap<string, string>>();

/** The names of a table, which never changes, by what they are without case; of several the first by code points. */
function spellingsOf(table: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  const known = spellings.get(table);
  if (known !== undefined) return known;
  const byFold = new Map(
    [...table.keys()]
      .sort()
      .toReversed()
      .map((name) => [fold(name), name] as const),
  );
  spellings.set(table, byFold);
  return byFold;
}
