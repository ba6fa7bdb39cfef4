/**
 * Which objects exceed the quota of a namespace: the oldest objects that fit are within it, in whatever order they were seen.
 * Kept from one translation to the next, so that an edit costs at most one look at each row of its namespace.
 */
import type { KindName, Quota } from '@gatehouse/crds/kinds';
import { LayeredMap, updateSorted } from '../../incremental/index.ts';
import type { BrokenBound, QuotaBound, QuotaRow, Weight } from '../../types/index.ts';
import { objectKey, type WorldObject } from '../../types/index.ts';

interface Account {
  /** Oldest first. */
  readonly rows: readonly QuotaRow[];
  readonly total: Quota;
  /** Absent: no quota. */
  readonly bounds: Quota | undefined;
  /** The objects that do not fit, with the bounds that they exceed. */
  readonly beyond: Beyond;
}

/** By the keys of objects. */
type Beyond = ReadonlyMap<string, readonly QuotaBound[]>;

/** By namespace. */
export type Ledger = LayeredMap<Account>;

export const EMPTY_LEDGER: Ledger = new LayeredMap();

/** The row of an object; an edited object gets a new one. */
export function quotaRowOf(key: string, { kind, metadata }: WorldObject, weight: Weight): QuotaRow {
  const { creationTimestamp, uid, namespace, name } = metadata;
  const order = `${creationTimestamp ?? ''} ${String(uid ?? '')} ${objectKey(namespace, name)} ${key}`;
  return { key, order, weight, bound: BOUNDS_OF_KINDS[kind] };
}

export interface RowChange {
  readonly left: Set<QuotaRow>;
  readonly came: QuotaRow[];
}

interface LedgerInput {
  /** By namespace. */
  readonly changes: ReadonlyMap<string, RowChange>;
  boundsOf(namespace: string): Quota | undefined;
}

export interface UpdatedLedger {
  readonly ledger: Ledger;
  /** Keys of the objects that fit now and did not before, or the other way round. */
  readonly moved: ReadonlySet<string>;
}

/** The ledger after some objects or quotas have changed. */
export function updateLedger(before: Ledger, { changes, boundsOf }: LedgerInput): UpdatedLedger {
  const accounts = new Map<string, Account | undefined>();
  const moved = new Set<string>();
  const update = (namespace: string, account: Account | undefined, change: RowChange): void => {
    const bounds = boundsOf(namespace);
    const isSame = change.left.size === 0 && change.came.length === 0 && isSameBounds(account?.bounds, bounds);
    if (account !== undefined && isSame) return;
    const next = toAccount(account, change, bounds);
    for (const key of keysOf(next).symmetricDifference(keysOf(account))) moved.add(key);
    accounts.set(namespace, next.rows.length === 0 ? undefined : next);
  };
  before.forEach((account, namespace) => {
    if (!changes.has(namespace)) update(namespace, account, NO_CHANGE);
  });
  for (const [namespace, change] of changes) update(namespace, before.get(namespace), change);
  return { ledger: before.with(accounts), moved };
}

/** The bounds that an object exceeds; undefined for one that fits. */
export function brokenBounds(ledger: Ledger, namespace: string, key: string): readonly BrokenBound[] | undefined {
  const { bounds, beyond } = ledger.get(namespace) ?? {};
  if (bounds === undefined) return undefined;
  return beyond?.get(key)?.map((bound) => ({ bound, limit: bounds[bound] }));
}

const NONE: Beyond = new Map();
const NO_CHANGE: RowChange = { left: new Set(), came: [] };
/** Bounds of all objects together. */
const COMMON_BOUNDS: readonly QuotaBound[] = ['objects', 'bytes', 'translationUnits'];
/** Each object of these Kinds costs the control plane more than its size: watches, calls and objects of its own. */
const BOUNDS_OF_KINDS: { readonly [K in KindName]?: QuotaBound } = {
  GatewayFleet: 'gatewayFleets',
  SidecarProfile: 'sidecarProfiles',
};
const BOUNDS: readonly QuotaBound[] = [...COMMON_BOUNDS, ...Object.values(BOUNDS_OF_KINDS)];

const keysOf = (account: Account | undefined): ReadonlySet<string> => new Set(account?.beyond.keys());

const isSameBounds = (a: Quota | undefined, b: Quota | undefined): boolean =>
  a === b || BOUNDS.every((bound) => a?.[bound] === b?.[bound]);

function toAccount(before: Account | undefined, change: RowChange, bounds: Quota | undefined): Account {
  const rows = updateSorted(before?.rows ?? [], change, ({ order }) => order);
  let total = before?.total ?? EMPTY;
  for (const row of change.left) total = add(total, row, -1);
  for (const row of change.came) total = add(total, row, 1);
  const fits = bounds === undefined || exceeded(total, bounds, BOUNDS).length === 0;
  return { rows, total, bounds, beyond: fits ? NONE : beyondOf(rows, bounds) };
}

/**
 * Everything from the first object on that does not fit: the newest are left out, not the largest. A bound of one Kind leaves
 * out objects of that Kind alone.
 */
function beyondOf(rows: readonly QuotaRow[], bounds: Quota): Beyond {
  const beyond = new Map<string, readonly QuotaBound[]>();
  let sum: Quota = EMPTY;
  let common: readonly QuotaBound[] = [];
  for (const row of rows) {
    sum = add(sum, row, 1);
    if (common.length === 0) common = exceeded(sum, bounds, COMMON_BOUNDS);
    const own = row.bound !== undefined && sum[row.bound] > bounds[row.bound] ? [row.bound] : [];
    if (own.length > 0) beyond.set(row.key, [...common, ...own]);
    else if (common.length > 0) beyond.set(row.key, common);
  }
  return beyond;
}

const EMPTY: Quota = { objects: 0, bytes: 0, translationUnits: 0, gatewayFleets: 0, sidecarProfiles: 0 };

function add(sum: Quota, { weight, bound }: QuotaRow, sign: 1 | -1): Quota {
  const { objects, bytes, translationUnits } = sum;
  return {
    ...sum,
    objects: objects + sign,
    bytes: bytes + sign * weight.bytes,
    translationUnits: translationUnits + sign * weight.units,
    ...(bound === undefined ? {} : { [bound]: sum[bound] + sign }),
  };
}

const exceeded = (sum: Quota, bounds: Quota, of: readonly QuotaBound[]): readonly QuotaBound[] =>
  of.filter((bound) => sum[bound] > bounds[bound]);
