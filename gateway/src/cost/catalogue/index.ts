/** The bundled prices of public models: docs/adr/0007-price-catalogue.md. */
import { LRUCache } from 'lru-cache';
import type { ModelPrice } from '../rates.ts';
import { compileListed, type ListedModel, matches } from './listed.ts';
import { CATALOGUE_LISTS, CATALOGUE_PROVIDERS } from './prices.generated.ts';

export { CATALOGUE_SOURCE } from './prices.generated.ts';

export interface Catalogue {
  /** Ids of the providers that have listed prices. */
  readonly providers: readonly string[];
  /** The price of a model by the name that calls use; undefined: not listed. */
  find(provider: string, model: string): ModelPrice | undefined;
}

/** Models whose price, or that they have none, is remembered: callers can make up names. */
const MAX_REMEMBERED = 512;
/** The times at which a price may change are full minutes. */
const PRICES_HOLD_MS = 60_000;
const UNLISTED = Symbol('unlisted');

/** A list is read when its first price is asked for. */
export function createCatalogue(nowMs: () => number = Date.now): Catalogue {
  const lists = new Map<string, readonly ListedModel[]>();
  const remembered = new LRUCache<string, ModelPrice | typeof UNLISTED>({ max: MAX_REMEMBERED });
  let minute = 0;
  const listOf = (name: string): readonly ListedModel[] => {
    const list = lists.get(name) ?? readList(name);
    lists.set(name, list);
    return list;
  };
  const search = (provider: string, model: string): ModelPrice | undefined => {
    const names = Object.hasOwn(CATALOGUE_PROVIDERS, provider) ? (CATALOGUE_PROVIDERS[provider] ?? []) : [];
    for (const name of names) {
      const row = listOf(name).find((listed) => matches(listed, model));
      if (row !== undefined) return compileListed(row, new Date(nowMs()));
    }
    return undefined;
  };
  return {
    providers: Object.keys(CATALOGUE_PROVIDERS),
    find: (provider, model) => {
      const now = Math.floor(nowMs() / PRICES_HOLD_MS);
      if (now !== minute) remembered.clear();
      minute = now;
      const key = `${provider}/${model}`;
      const known = remembered.get(key);
      if (known !== undefined) return known === UNLISTED ? undefined : known;
      const price = search(provider, model);
      remembered.set(key, price ?? UNLISTED);
      return price;
    },
  };
}

// Written by our generator in this form.
const readList = (name: string): readonly ListedModel[] =>
  (CATALOGUE_LISTS[name] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
