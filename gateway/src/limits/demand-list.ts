import { type Demand, isCount } from './limiter.ts';

/** Demands as limiters count them: what a request takes of each counter. Made once for each list. */
export class DemandList {
  readonly demands: readonly Demand[];
  /** The distinct counters, each as the first demand that names it. */
  readonly counters: readonly Demand[];
  /** The position of its counter, by demand. */
  readonly positions: readonly number[];
  /** The largest cost among the demands of a counter, by counter; 0: only room is asked for. */
  readonly costs: readonly number[];
  /** Whether the cost is a guess, by counter. */
  readonly isEstimate: readonly boolean[];
  readonly hasEstimates: boolean;

  constructor(demands: readonly Demand[], keyOf: (demand: Demand) => string) {
    const keys = new Map<string, number>();
    const counters: Demand[] = [];
    const costs: number[] = [];
    const isEstimate: boolean[] = [];
    this.demands = demands;
    this.positions = demands.map((demand) => {
      const key = keyOf(demand);
      const at = keys.get(key) ?? counters.push(demand) - 1;
      keys.set(key, at);
      costs[at] = Math.max(costs[at] ?? 0, demand.takes === false ? 0 : demand.cost);
      isEstimate[at] ||= demand.estimated === true;
      return at;
    });
    this.counters = counters;
    this.costs = costs;
    this.isEstimate = isEstimate;
    this.hasEstimates = isEstimate.includes(true);
  }

  /** By counter: the largest of the actual costs of its demands. A cost that is no count leaves the reserved one. */
  usedOf(actualCosts: readonly number[]): number[] {
    const used: number[] = new Array(this.counters.length).fill(0);
    for (let i = 0; i < this.demands.length; i += 1) {
      const demand = this.demands[i] as Demand; // below the length
      if (demand.takes === false) continue;
      const actual = actualCosts[i];
      const at = this.positions[i] ?? 0;
      used[at] = Math.max(used[at] ?? 0, isCount(actual) ? actual : demand.cost);
    }
    return used;
  }
}

/** Finds what was made of a list of demands before; `make` is called once for each list. */
export function createListMemo<L>(make: (demands: readonly Demand[]) => L): (demands: readonly Demand[]) => L {
  const lists = new WeakMap<readonly Demand[], L>();
  return (demands) => {
    let list = lists.get(demands);
    if (list === undefined) {
      list = make(demands);
      lists.set(demands, list);
    }
    return list;
  };
}
