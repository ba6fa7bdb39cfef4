/** Selects which of too many wanted names are watched, fairly between namespaces. */
import type { ObjectKey } from '../client/index.ts';

/** A component that wants names. */
export interface Claimant {
  readonly id: string;
  /** The share that its names count for, always the same; absent: it has priority over all shares. */
  readonly share?: string | undefined;
}

export interface FairQuota {
  /** Replaces the names a claimant wants. Returns the names that may have been admitted or dropped by that. */
  replace(claimant: Claimant, keys: ReadonlySet<ObjectKey>): ReadonlySet<ObjectKey>;
  isWanted(key: ObjectKey): boolean;
  isAdmitted(key: ObjectKey): boolean;
}

interface Share {
  readonly claims: Map<string, ReadonlySet<ObjectKey>>;
  /** How many claimants want a name; in the order of their requests. */
  readonly wanted: Map<ObjectKey, number>;
  /** The first of the wanted names, as many as the share may have. */
  readonly admitted: Set<ObjectKey>;
}

/**
 * Admits the first names of every share, as many as `allocate` gives it: a share that wants few names gets them, whatever
 * others want. A name that several shares want counts in each of them.
 */
export function createFairQuota(max: number): FairQuota {
  const first: Share = { claims: new Map(), wanted: new Map(), admitted: new Set() };
  const shares = new Map<string, Share>();
  const wantedBy = new Map<ObjectKey, number>();
  const admittedBy = new Map<ObjectKey, number>();
  /** What all shares want, and whether they have it. */
  let total = 0;
  let allFits = true;
  /** Of the last allocation; shares that want more have been cut. */
  let level = Number.POSITIVE_INFINITY;

  const shareOf = ({ share: name }: Claimant): Share =>
    name === undefined ? first : (shares.get(name) ?? { claims: new Map(), wanted: new Map(), admitted: new Set() });
  const fit = (share: Share, limit: number, touched: Set<ObjectKey>): void =>
    fitShare(share, limit, (key, change) => {
      count(admittedBy, key, change);
      touched.add(key);
    });
  const fitAll = (touched: Set<ObjectKey>): void => {
    fit(first, max, touched);
    const others = [...shares.values()];
    const wants = others.map(({ wanted }) => wanted.size);
    const room = max - first.admitted.size;
    level = levelOf(wants, room);
    for (const [i, limit] of allocate(wants, room, level).entries()) {
      const other = others[i];
      if (other !== undefined) fit(other, limit, touched);
    }
  };
  const add = (share: Share, keys: Iterable<ObjectKey>): void => {
    for (const key of keys) if (count(share.wanted, key, 1) === 1) count(wantedBy, key, 1);
  };
  const remove = (share: Share, keys: Iterable<ObjectKey>): void => {
    for (const key of keys) {
      if (count(share.wanted, key, -1) > 0) continue;
      count(wantedBy, key, -1);
      if (share.admitted.delete(key)) count(admittedBy, key, -1);
    }
  };

  return {
    replace: (claimant, keys) => {
      const share = shareOf(claimant);
      const before = share.claims.get(claimant.id) ?? new Set();
      const touched = new Set(before.symmetricDifference(keys));
      if (touched.size === 0) return touched;
      const had = { wanted: share.wanted.size, admitted: share.admitted.size };
      if (keys.size === 0) share.claims.delete(claimant.id);
      else share.claims.set(claimant.id, new Set(keys));
      add(share, keys.difference(before));
      remove(share, before.difference(keys));
      if (claimant.share !== undefined) {
        if (share.wanted.size === 0) shares.delete(claimant.share);
        else shares.set(claimant.share, share);
      }
      const { size } = share.wanted;
      total += size - had.wanted;
      // A hundred thousand claimants come one by one: all shares are recomputed only where that may change one of them.
      const hadAll = allFits;
      allFits = total <= max;
      if (hadAll && allFits) fit(share, size, touched);
      else if (share !== first && Math.min(had.wanted, size) > level) fit(share, had.admitted, touched);
      else fitAll(touched);
      return touched;
    },
    isWanted: (key) => wantedBy.has(key),
    isAdmitted: (key) => admittedBy.has(key),
  };
}

/** Admits the first names of a share and drops the others. */
function fitShare(
  { wanted, admitted }: Share,
  limit: number,
  onChange: (key: ObjectKey, change: 1 | -1) => void,
): void {
  const excess = admitted.size > limit ? [...admitted].slice(limit) : [];
  for (const key of excess) {
    admitted.delete(key);
    onChange(key, -1);
  }
  const room = Math.min(limit, wanted.size);
  for (const key of admitted.size < room ? wanted.keys() : []) {
    if (admitted.has(key)) continue;
    admitted.add(key);
    onChange(key, 1);
    if (admitted.size === room) break;
  }
}

/** Max-min fair allocation: small requests are met in full, the rest is divided equally. */
export function allocate(wants: readonly number[], room: number, level = levelOf(wants, room)): readonly number[] {
  let spare = wants.reduce((left, wanted) => left - Math.min(wanted, level), room);
  return wants.map((wanted) => {
    if (wanted <= level) return wanted;
    spare -= 1;
    return spare >= 0 ? level + 1 : level;
  });
}

/** The highest whole number of names that all shares that want as many can have. */
function levelOf(wants: readonly number[], room: number): number {
  let left = room;
  for (const [i, wanted] of Uint32Array.from(wants).sort().entries()) {
    const level = Math.floor(left / (wants.length - i));
    if (wanted > level) return level;
    left -= wanted;
  }
  return Number.POSITIVE_INFINITY;
}

/** The number of claimants of a name, after one was added or removed. */
function count(numbers: Map<ObjectKey, number>, key: ObjectKey, change: 1 | -1): number {
  const next = (numbers.get(key) ?? 0) + change;
  if (next === 0) numbers.delete(key);
  else numbers.set(key, next);
  return next;
}
