/**
 * Who goes over the bounds of a namespace: of its objects, oldest first, as many are read as fit, whatever came first to this
 * program. Kept from one translation to the next, so that an edit costs its namespace one look at each row at the most.
 */
import type { Quota } from '@gatehouse/crds/kinds';
import { LayeredMap } from './layered-map.ts';
import { updateSorted } from './sorted.ts';
import type { Weight } from './weight.ts';
import { objectKey, type WorldObject } from './world.ts';

export type Bound = keyof Quota;

/** An object as far as bounds are concerned. */
export interface Row {
  /** See `verdictKey`. */
  readonly key: string;
  /** Sorts by creation, then by UID; files have neither, there the name decides. */
  readonly order: string;
  readonly weight: Weight;
}

interface Account {
  /** Oldest first. */
  readonly rows: readonly Row[];
  readonly total: Quota;
  /** Absent: there are none. */
  readonly bounds: Quota | undefined;
  /** Keys of the objects that do not fit. */
  readonly beyond: ReadonlySet<string>;
  /** The bounds that they would break. */
  readonly broken: readonly Bound[];
}

/** By namespace. */
export type Ledger = LayeredMap<Account>;

export const NO_LEDGER: Ledger = new LayeredMap();

/** The row of an object; a changed object has a new one. */
export function rowOf(key: string, { metadata }: WorldObject, weight: Weight): Row {
  const { creationTimestamp, uid, namespace, name } = metadata;
  const order = `${creationTimestamp ?? ''} ${String(uid ?? '')} ${objectKey(namespace, name)} ${key}`;
  return { key, order, weight };
}

export interface RowChange {
  readonly left: Set<Row>;
  readonly came: Row[];
}

interface LedgerInput {
  /** By namespace. */
  readonly changes: ReadonlyMap<string, RowChange>;
  boundsOf(namespace: string): Quota | undefined;
}

export interface UpdatedLedger {
  readonly ledger: Ledger;
  /** Keys of the objects that fit and did not before, or the other way round. */
  readonly moved: ReadonlySet<string>;
}

/** The ledger after some objects or bounds have changed. */
export function updateLedger(before: Ledger, { changes, boundsOf }: LedgerInput): UpdatedLedger {
  const accounts = new Map<string, Account | undefined>();
  const moved = new Set<string>();
  const update = (namespace: string, account: Account | undefined, change: RowChange): void => {
    const bounds = boundsOf(namespace);
    const isSame = change.left.size === 0 && change.came.length === 0 && isSameBounds(account?.bounds, bounds);
    if (account !== undefined && isSame) return;
    const next = toAccount(account, change, bounds);
    for (const key of next.beyond.symmetricDifference(account?.beyond ?? NONE)) moved.add(key);
    accounts.set(namespace, next.rows.length === 0 ? undefined : next);
  };
  before.forEach((account, namespace) => {
    if (!changes.has(namespace)) update(namespace, account, NO_CHANGE);
  });
  for (const [namespace, change] of changes) update(namespace, before.get(namespace), change);
  return { ledger: before.with(accounts), moved };
}

/** A bound that an object does not fit into. */
export interface Broken {
  readonly bound: Bound;
  readonly limit: number;
}

/** The bounds that an object does not fit into; undefined for one that does. */
export function brokenBounds(ledger: Ledger, namespace: string, key: string): readonly Broken[] | undefined {
  const account = ledger.get(namespace);
  if (account?.bounds === undefined || !account.beyond.has(key)) return undefined;
  const { bounds, broken } = account;
  return broken.map((bound) => ({ bound, limit: bounds[bound] }));
}

const NONE: ReadonlySet<string> = new Set();
const NO_CHANGE: RowChange = { left: new Set(), came: [] };
const BOUNDS: readonly Bound[] = ['objects', 'bytes', 'translationUnits'];

const isSameBounds = (a: Quota | undefined, b: Quota | undefined): boolean =>
  a === b || BOUNDS.every((bound) => a?.[bound] === b?.[bound]);

function toAccount(before: Account | undefined, change: RowChange, bounds: Quota | undefined): Account {
  const rows = updateSorted(before?.rows ?? [], change, ({ order }) => order);
  let total = before?.total ?? EMPTY;
  for (const { weight } of change.left) total = add(total, weight, -1);
  for (const { weight } of change.came) total = add(total, weight, 1);
  const fits = bounds === undefined || exceeded(total, bounds).length === 0;
  return { rows, total, bounds, ...(fits ? { beyond: NONE, broken: [] } : beyondOf(rows, bounds)) };
}

/** Everything from the first object on that does not fit: the newest make room, not the largest. */
function beyondOf(rows: readonly Row[], bounds: Quota): Pick<Account, 'beyond' | 'broken'> {
  let sum: Quota = EMPTY;
  for (const [i, { weight }] of rows.entries()) {
    sum = add(sum, weight, 1);
    const broken = exceeded(sum, bounds);
    if (broken.length > 0) return { beyond: new Set(rows.slice(i).map(({ key }) => key)), broken };
  }
  return { beyond: NONE, broken: [] };
}

const EMPTY: Quota = { objects: 0, bytes: 0, translationUnits: 0 };

const add = ({ objects, bytes, translationUnits }: Quota, weight: Weight, sign: 1 | -1): Quota => ({
  objects: objects + sign,
  bytes: bytes + sign * weight.bytes,
  translationUnits: translationUnits + sign * weight.units,
});

const exceeded = (sum: Quota, bounds: Quota): readonly Bound[] => BOUNDS.filter((bound) => sum[bound] > bounds[bound]);
