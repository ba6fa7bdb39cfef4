/** What a call costs. Sums are exact integers, and each request is rounded once: docs/behaviour/cost.md. */
import type { TokenUsage } from '../usage/index.ts';
import { type ImagePrice, type ModelPrice, mapRates, PER_MILLION, type Rate, type Rates } from './rates.ts';

export interface Cost {
  /** 1 US dollar is 1e9. At most 2^53-1. */
  readonly nanoDollars: number;
  /** Something that was used has no price, and nothing was charged for it. */
  readonly unpriced: boolean;
}

/** What the call asked for, as far as it decides about the price. */
export interface CostOptions {
  /** Of the provider's answer: what failed there costs nothing. */
  readonly status: number;
  /** The call is part of a batch. */
  readonly batch?: boolean;
  /** Generated images, as requested. */
  readonly images?: { readonly quality?: string; readonly size?: string; readonly count: number };
}

export const NO_COST: Cost = { nanoDollars: 0, unpriced: false };

/** The cost of an answer. */
export function costOf(price: ModelPrice | undefined, usage: TokenUsage, options: CostOptions): Cost {
  if (options.status < 200 || options.status > 299) return NO_COST;
  if (price === undefined) return { nanoDollars: 0, unpriced: isUsed(usage) || options.images !== undefined };
  const sum = new Sum();
  charge(sum, price, usage, options);
  if (sum.isExact) return { nanoDollars: toNanoDollars(sum.total), unpriced: sum.unpriced };
  const exact = new BigSum();
  charge(exact, price, usage, options);
  return { nanoDollars: exact.nanoDollars(), unpriced: exact.unpriced };
}

/** The cost of a call with so many tokens of plain text, in nano-dollars; 0 without a price. */
export function estimateCost(
  price: ModelPrice | undefined,
  { input, output }: { readonly input: number; readonly output: number },
): number {
  if (price === undefined) return 0;
  const rates = ratesFor(price, input, false);
  const sum = new Sum();
  const exact = new BigSum();
  for (const target of [sum, exact]) {
    target.add(1, rates.call ?? 0);
    target.add(input, rates.input ?? 0);
    target.add(output, rates.output ?? 0);
    if (target === sum && sum.isExact) return toNanoDollars(sum.total);
  }
  return exact.nanoDollars();
}

const isUsed = ({ total, units }: TokenUsage): boolean => total > 0 || Object.keys(units).length > 0;

interface Charges {
  /** `rate` undefined: nothing is charged, and the answer is marked where there is something to charge. */
  add(count: number, rate: Rate | undefined): void;
}

/** A sum of products below 2^53, where numbers are exact. */
class Sum implements Charges {
  total = 0;
  unpriced = false;

  get isExact(): boolean {
    return this.total <= Number.MAX_SAFE_INTEGER;
  }

  add(count: number, rate: Rate | undefined): void {
    if (rate !== undefined) this.total += count * rate;
    else if (count > 0) this.unpriced = true;
  }
}

class BigSum implements Charges {
  #total = 0n;
  unpriced = false;

  add(count: number, rate: Rate | undefined): void {
    if (rate !== undefined) this.#total += BigInt(count) * BigInt(rate);
    else if (count > 0) this.unpriced = true;
  }

  nanoDollars(): number {
    const rounded = (this.#total + BigInt(PER_MILLION / 2)) / BigInt(PER_MILLION);
    return Number(rounded < HIGHEST_COST ? rounded : HIGHEST_COST);
  }
}

const HIGHEST_COST = BigInt(Number.MAX_SAFE_INTEGER);

/** Half up. Both steps are exact: the remainder, and the division of what is left. */
function toNanoDollars(total: number): number {
  const rest = total % PER_MILLION;
  return (total - rest) / PER_MILLION + (rest * 2 >= PER_MILLION ? 1 : 0);
}

function charge(sum: Charges, price: ModelPrice, usage: TokenUsage, { batch = false, images }: CostOptions): void {
  const rates = ratesFor(price, usage.input, batch);
  if (rates.call !== undefined) sum.add(1, rates.call);
  chargeInput(sum, rates, usage);
  const image = images === undefined ? undefined : imageRate(price.images, images);
  if (image === undefined) {
    chargeOutput(sum, rates, usage);
    if (usage.output === 0) sum.add(images?.count ?? 0, undefined);
  } else chargeImages(sum, rates, usage, { count: images?.count ?? 0, rate: batch ? half(image) : image });
  chargeUnits(sum, rates, usage);
}

/** Each token of the input is of one kind: plain, audio or image, and read from the cache, written to it, or neither. */
function chargeInput(sum: Charges, rates: Rates, { input, cached, cacheWrite, ...usage }: TokenUsage): void {
  const audioRead = Math.min(usage.audio.cached, cached);
  const imageRead = Math.min(usage.image.cached, cached - audioRead);
  const audio = Math.max(0, usage.audio.input - audioRead);
  const image = Math.max(0, usage.image.input - imageRead);
  const hour = Math.min(usage.cacheWriteHour, cacheWrite);
  sum.add(Math.max(0, input - cached - cacheWrite - audio - image), rates.input);
  sum.add(cached - audioRead - imageRead, rates.cacheRead);
  sum.add(audioRead, rates.audioCacheRead);
  sum.add(imageRead, rates.imageCacheRead ?? rates.cacheRead);
  sum.add(cacheWrite - hour, rates.cacheWrite);
  sum.add(hour, rates.cacheWriteHour ?? rates.cacheWrite);
  sum.add(audio, rates.audioInput);
  sum.add(image, rates.imageInput ?? rates.input);
}

function chargeOutput(sum: Charges, rates: Rates, { output, reasoning, audio, image }: TokenUsage): void {
  const said = Math.min(audio.output, output);
  const drawn = Math.min(image.output, output - said);
  const thought = rates.reasoning === undefined ? 0 : Math.min(reasoning, output - said - drawn);
  sum.add(output - said - drawn - thought, rates.output);
  sum.add(thought, rates.reasoning);
  sum.add(said, rates.audioOutput);
  sum.add(drawn, rates.imageOutput ?? rates.output);
}

function chargeImages(
  sum: Charges,
  rates: Rates,
  { text }: TokenUsage,
  { count, rate }: { readonly count: number; readonly rate: Rate },
): void {
  sum.add(count, rate);
  sum.add(text.output, rates.output);
}

/** Units without a price are free: providers count more than they charge for. */
function chargeUnits(sum: Charges, { units }: Rates, { reasoning, units: used }: TokenUsage): void {
  if (units === undefined) return;
  for (const [name, rate] of Object.entries(units)) {
    const count = Object.hasOwn(used, name) ? used[name] : undefined; // names come from providers
    sum.add(name === 'thinking_token' ? reasoning : (count ?? 0), rate);
  }
}

/** The price that fits best: quality and size, quality alone, size alone, any. */
function imageRate(
  prices: readonly ImagePrice[],
  { quality = 'default', size = 'default' }: { readonly quality?: string; readonly size?: string },
): Rate | undefined {
  const find = (wantedQuality: string, wantedSize: string): Rate | undefined =>
    prices.find((price) => price.quality === wantedQuality && price.size === wantedSize)?.rate;
  return find(quality, size) ?? find(quality, 'default') ?? find('default', size) ?? find('default', 'default');
}

function ratesFor({ rates, tiers, batch }: ModelPrice, input: number, isBatch: boolean): Rates {
  const tiered = tiers.length === 0 ? rates : (tiers.findLast(({ above }) => input > above)?.rates ?? rates);
  if (!isBatch) return tiered;
  const halved = mapRates(tiered, half);
  return { ...halved, ...batch, units: { ...halved.units, ...batch.units } };
}

const half = (rate: Rate): Rate => Math.ceil(rate / 2);
