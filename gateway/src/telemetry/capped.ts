import { Counter, Histogram, type Registry } from 'prom-client';

/** Series one metric may have; further label sets are counted under `other` (DESIGN section 10). */
export const MAX_SERIES = 2_000;
const OVERFLOW = 'other';

type Labels<L extends string> = Readonly<Record<L, string>>;

export interface CappedOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
  readonly registry: Registry;
  readonly maxSeries?: number;
}

function createCap<L extends string>(labels: readonly L[], maxSeries: number): (given: Labels<L>) => Labels<L> {
  const seen = new Set<string>();
  const overflow = Object.fromEntries(labels.map((label) => [label, OVERFLOW])) as Record<L, string>; // one value per label
  return (given) => {
    let key = '';
    for (const label of labels) key += `${given[label]}\u0000`;
    if (seen.has(key)) return given;
    if (seen.size >= maxSeries) return overflow;
    seen.add(key);
    return given;
  };
}

/** A counter whose label sets are bounded. */
export function createCounter<L extends string>({
  name,
  help,
  labels,
  registry,
  maxSeries = MAX_SERIES,
}: CappedOptions<L>) {
  const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
  const cap = createCap(labels, maxSeries);
  return { add: (given: Labels<L>, amount = 1): void => counter.inc(cap(given), amount) };
}

/** A histogram whose label sets are bounded. */
export function createHistogram<L extends string>(options: CappedOptions<L> & { readonly buckets: readonly number[] }) {
  const { name, help, labels, registry, buckets, maxSeries = MAX_SERIES } = options;
  const histogram = new Histogram({
    name,
    help,
    labelNames: [...labels],
    buckets: [...buckets],
    registers: [registry],
  });
  const cap = createCap(labels, maxSeries);
  return { observe: (given: Labels<L>, value: number): void => histogram.observe(cap(given), value) };
}
