/** Demands of several owners: their counters are on different nodes of a cluster, and all of them grant or none. */
import type { Demand, Denial, Reservation, WindowState } from '../limiter.ts';
import { RedisList } from './lot.ts';

/** The demands of one owner. */
export interface Part {
  readonly list: RedisList;
  /** Their positions among all. */
  readonly positions: readonly number[];
}

/** One part of all demands outside a cluster. */
export function splitByOwner(demands: readonly Demand[], isCluster: boolean): readonly Part[] {
  const all = demands.map((_demand, i) => i);
  const groups = Map.groupBy(all, (i) => (isCluster ? demands[i]?.slot : ''));
  return Array.from(groups.values(), (positions) => ({
    list: new RedisList(positions.flatMap((i) => demands[i] ?? [])),
    positions,
  }));
}

type Result = { readonly allowed: true } | Denial;

/** The denial of the first demand, in the order of all. */
export function firstDenial(parts: readonly Part[], results: readonly (Result | undefined)[]): Denial | undefined {
  let first: { readonly at: number; readonly denial: Denial } | undefined;
  results.forEach((result, i) => {
    const part = parts[i];
    if (part === undefined || result === undefined || result.allowed) return;
    const at = part.positions[part.list.demands.indexOf(result.demand)] ?? 0;
    if (first === undefined || at < first.at) first = { at, denial: result };
  });
  return first?.denial;
}

/** Takes all parts or none: what some have granted is returned when another one has not. */
export async function reserveParts(
  parts: readonly Part[],
  reserve: (part: Part) => Promise<Reservation | Denial>,
): Promise<Reservation | Denial> {
  const results = await Promise.allSettled(parts.map(reserve));
  const values = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  const denial = firstDenial(parts, values);
  const failed = results.find(({ status }) => status === 'rejected');
  const granted = values.map((value) => (value?.allowed ? value : undefined));
  if (denial === undefined && failed === undefined) return new PartedReservation(parts, granted);
  const returned = granted.map((reservation) => reservation?.release());
  if (failed?.status === 'rejected') throw failed.reason;
  await Promise.all(returned); // who is refused has consumed nothing by then
  return denial as Denial; // one of both is there
}

class PartedReservation implements Reservation {
  readonly allowed = true;
  readonly #parts: readonly Part[];
  readonly #reservations: readonly (Reservation | undefined)[];

  constructor(parts: readonly Part[], reservations: readonly (Reservation | undefined)[]) {
    this.#parts = parts;
    this.#reservations = reservations;
  }

  get windows(): readonly WindowState[] {
    const windows: WindowState[] = [];
    this.#parts.forEach(({ positions }, i) => {
      const states = this.#reservations[i]?.windows ?? [];
      positions.forEach((position, j) => {
        const state = states[j];
        if (state !== undefined) windows[position] = state;
      });
    });
    return windows;
  }

  async settle(actualCosts: readonly number[], nowMs: number): Promise<void> {
    await Promise.all(
      this.#parts.map(({ positions }, i) =>
        this.#reservations[i]?.settle(
          positions.map((position) => actualCosts[position] ?? Number.NaN),
          nowMs,
        ),
      ),
    );
  }

  async release(): Promise<void> {
    await Promise.all(this.#reservations.map((reservation) => reservation?.release()));
  }
}
