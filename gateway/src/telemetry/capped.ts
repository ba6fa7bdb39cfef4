/** Counters and histograms whose label sets are bounded, counted without the look-ups and copies of the registry's own. */
import type { Counter, MetricType, MetricValue, Registry } from 'prom-client';

/** Series one metric may have; further label sets are counted under `other`. */
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

/** A counter whose label sets are bounded. */
export function createCounter<L extends string>(options: CappedOptions<L>) {
  const { labels, maxSeries = MAX_SERIES } = options;
  const series = createSeries(labels, maxSeries, () => new Count());
  register(options, 'counter', () => [...series.all()].map(([given, { value }]) => ({ labels: given, value })));
  return {
    add: (given: Labels<L>, amount = 1): void => series.of(given).add(amount),
    /** The series of a label set, for what is counted often; `other` where there are too many. */
    of: (given: Labels<L>): Pick<Count, 'add'> => series.of(given),
  };
}

class Count {
  value = 0;

  add(amount = 1): void {
    if (amount >= 0 && Number.isFinite(amount)) this.value += amount; // a counter never falls
  }
}

/** A gauge without labels. */
export function createGauge(options: Omit<CappedOptions<never>, 'labels' | 'maxSeries'>) {
  let value = 0;
  register(options, 'gauge', () => [{ labels: {}, value }]);
  return {
    inc: (): void => {
      value += 1;
    },
    dec: (): void => {
      value -= 1;
    },
  };
}

/** An observation that a trace explains. */
export interface Exemplar {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly value: number;
  /** Unix time in ms. */
  readonly atMs: number;
}

/** The trace of an observation. */
export type Explained = Omit<Exemplar, 'value'>;

class Distribution {
  /** Observations at most as large as the bucket's bound and larger than the one before; the last one has no bound. */
  readonly buckets: Float64Array;
  sum = 0;
  /** The last one of each bucket. */
  exemplars: (Exemplar | undefined)[] | undefined;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.buckets = new Float64Array(bounds.length + 1);
  }

  /** `explained`: by a trace that is exported. */
  observe(value: number, explained?: Explained): void {
    if (!Number.isFinite(value)) return;
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.buckets[at] = (this.buckets[at] ?? 0) + 1;
    this.sum += value;
    if (explained === undefined) return;
    this.exemplars ??= new Array(this.buckets.length);
    this.exemplars[at] = { ...explained, value };
  }
}

/** A histogram whose label sets are bounded. `buckets`: upper bounds, ascending. */
export function createHistogram<L extends string>(options: CappedOptions<L> & { readonly buckets: readonly number[] }) {
  const { name, labels, buckets: bounds, maxSeries = MAX_SERIES } = options;
  const series = createSeries<L, Distribution>(labels, maxSeries, () => new Distribution(bounds));
  register(options, 'histogram', () =>
    [...series.all()].flatMap(([given, distribution]) => valuesOf(name, given, { bounds, distribution })),
  );
  return {
    observe: (given: Labels<L>, value: number, explained?: Explained): void =>
      series.of(given).observe(value, explained),
    /** The series of a label set, for what is observed often; `other` where there are too many. */
    of: (given: Labels<L>): Pick<Distribution, 'observe'> => series.of(given),
  };
}

/** The series of one distribution as Prometheus counts them: buckets include those below. */
function valuesOf<L extends string>(
  name: string,
  labels: Labels<L>,
  { bounds, distribution }: { readonly bounds: readonly number[]; readonly distribution: Distribution },
): Sample[] {
  let count = 0;
  const buckets = [...distribution.buckets].map((own, at) => {
    count += own;
    const exemplar = distribution.exemplars?.[at];
    return {
      metricName: `${name}_bucket`,
      labels: { le: bounds[at] ?? '+Inf', ...labels },
      value: count,
      ...(exemplar && { exemplar }),
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

type Sample = Pick<MetricValue<string>, 'labels' | 'value'> & {
  readonly metricName?: string;
  readonly exemplar?: Exemplar;
};

/** Registers a metric: the registry needs its name and, at a scrape, its values. */
function register(
  { registry, name, help }: Pick<CappedOptions<string>, 'registry' | 'name' | 'help'>,
  type: `${MetricType}`,
  values: () => Sample[],
): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: values() }) };
  registry.registerMetric(metric as unknown as Counter); // the part of the interface that the registry uses
}

/** The label sets that begin with the same values. */
interface Branch<T> {
  /** By the value of the next label. */
  readonly next: Map<string, Branch<T>>;
  counted: T | undefined;
}

const createBranch = <T>(): Branch<T> => ({ next: new Map(), counted: undefined });

/** What is counted per label set. A tree with a level for each label: a text for the whole set would cost more than the look-ups. */
function createSeries<L extends string, T>(labels: readonly L[], maxSeries: number, create: () => T) {
  const root = createBranch<T>();
  const series: (readonly [labels: Labels<L>, counted: T])[] = [];
  const overflow = Object.fromEntries(labels.map((label) => [label, OVERFLOW])) as Record<L, string>; // one value per label
  let other: T | undefined;
  const add = (given: Labels<L>): T => {
    if (series.length >= maxSeries) {
      other ??= create();
      return other;
    }
    let branch = root;
    for (const label of labels) {
      const next = branch.next.get(given[label]) ?? createBranch<T>();
      branch.next.set(given[label], next);
      branch = next;
    }
    const fresh = create();
    branch.counted = fresh;
    series.push([given, fresh]);
    return fresh;
  };
  return {
    of: (given: Labels<L>): T => {
      let branch = root;
      for (const label of labels) {
        const next = branch.next.get(given[label]);
        if (next === undefined) return add(given);
        branch = next;
      }
      return branch.counted ?? add(given);
    },
    *all(): Generator<readonly [Labels<L>, T]> {
      yield* series;
      if (other !== undefined) yield [overflow, other];
    },
  };
}
