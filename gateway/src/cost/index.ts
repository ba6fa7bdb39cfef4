/** What calls cost: docs/behaviour/cost.md. */
export { CATALOGUE_SOURCE, type Catalogue, createCatalogue } from './catalogue/index.ts';
export { type AccountPrices, compileAccountPrices, compilePrice, namedPrice } from './compile.ts';
export { type CountedBody, type CountOptions, countBody, wrongCountOf } from './count.ts';
export { estimateTokens } from './estimate.ts';
export { type Cost, type CostOptions, costOf, estimateCost, NO_COST } from './formula.ts';
export { toListedPrice } from './listing.ts';
export {
  createPriceBook,
  type PriceBook,
  type PricedAccount,
  type PricedModel,
  type PriceOverrides,
} from './price-book.ts';
export type { ModelPrice, PriceSource } from './rates.ts';
