import { isObject } from '@gatehouse/crds';

/**
 * Whether an object from the API server still has everything that was applied. The server may have added fields and defaults,
 * left out empty ones and written quantities its own way. When in doubt the answer is no: applying again is harmless.
 */
export function covers(live: unknown, applied: unknown): boolean {
  if (Array.isArray(applied)) return coversList(live, applied);
  if (isObject(applied)) {
    if (!isObject(live)) return Object.keys(applied).length === 0 && live === undefined;
    return Object.entries(applied).every(([name, value]) => covers(live[name], value));
  }
  if (live === undefined || live === null) return isEmpty(applied);
  return live === applied || isSameQuantity(live, applied);
}

/** Members by which lists of Kubernetes are merged, the most telling first. */
const MERGE_KEYS = ['name', 'type', 'key', 'containerPort', 'port', 'topologyKey', 'uid'];

function coversList(live: unknown, applied: readonly unknown[]): boolean {
  if (!Array.isArray(live)) return applied.length === 0 && live === undefined;
  const mergeKey = MERGE_KEYS.find((name) => isKeyedBy(applied, name) && isKeyedBy(live, name));
  if (mergeKey === undefined) {
    return live.length === applied.length && applied.every((item, i) => covers(live[i], item));
  }
  const byKey = new Map(live.map((item) => [item[mergeKey], item]));
  return applied.every((item) => isObject(item) && covers(byKey.get(item[mergeKey]), item));
}

const isKeyedBy = (items: readonly unknown[], name: string): boolean =>
  new Set(items.map((item) => (isObject(item) ? item[name] : undefined)).filter((key) => key !== undefined)).size ===
  items.length;

/** The server leaves out what `omitempty` leaves out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || value === false;

const QUANTITY = /^([0-9]+(?:\.[0-9]+)?)(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi)?$/;
const SCALE: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['m', 1e-3],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
]);

/** `1000m` comes back as `1`, `1024Mi` as `1Gi`. */
function isSameQuantity(live: unknown, applied: unknown): boolean {
  const a = quantityOf(live);
  return a !== undefined && a === quantityOf(applied);
}

function quantityOf(value: unknown): number | undefined {
  const [, digits = '', unit = ''] = QUANTITY.exec(String(value)) ?? [];
  const scale = digits === '' ? undefined : SCALE.get(unit);
  return scale === undefined ? undefined : Math.round(Number(digits) * scale * 1e3) / 1e3;
}
