import { isObject } from '@gatehouse/crds';

/**
 * Whether an object from the API server still has everything that was applied. The server may have added fields and defaults,
 * left out empty ones and rewritten quantities, and others may have added fields and items; but values that Kubernetes treats
 * as one have to be as they were applied. In doubt the result is false: applying again is harmless.
 */
export function covers(live: unknown, applied: unknown): boolean {
  return coversValue(live, applied, { isAtomic: false, name: '' });
}

/** The position of a value in an object. */
interface Position {
  /** Within a value that has one owner only. */
  readonly isAtomic: boolean;
  /** Of the field. */
  readonly name: string;
}

function coversValue(live: unknown, applied: unknown, spot: Position): boolean {
  if (Array.isArray(applied)) return coversList(live, applied, spot);
  if (isObject(applied)) return coversObject(live, applied, spot);
  if (live === undefined || live === null) return isEmpty(applied);
  if (applied === undefined) return isEmpty(live);
  return live === applied || isSameQuantity(live, applied);
}

/** Objects that are one value whatever their content: label selectors. */
const ATOMIC_OBJECTS: ReadonlySet<string> = new Set([
  'selector',
  'podSelector',
  'namespaceSelector',
  'labelSelector',
  'nodeSelector',
]);

function coversObject(live: unknown, applied: Readonly<Record<string, unknown>>, spot: Position): boolean {
  if (!isObject(live)) return Object.keys(applied).length === 0 && live === undefined;
  const isAtomic = spot.isAtomic || ATOMIC_OBJECTS.has(spot.name);
  const names = Object.keys(isAtomic ? { ...live, ...applied } : applied);
  return names.every((name) => coversValue(live[name], applied[name], { isAtomic, name }));
}

/** The lists that Kubernetes merges item by item, with their key members; every other list is one value. */
const MERGE_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['containers', ['name']],
  ['initContainers', ['name']],
  ['env', ['name']],
  ['volumes', ['name']],
  ['volumeMounts', ['mountPath']],
  ['imagePullSecrets', ['name']],
  ['topologySpreadConstraints', ['topologyKey', 'whenUnsatisfiable']],
  ['ownerReferences', ['uid']],
  ['ports', ['containerPort', 'port', 'protocol']], // of containers or of a Service; those of a NetworkPolicy are within one value
]);

function coversList(live: unknown, applied: readonly unknown[], { isAtomic, name }: Position): boolean {
  if (!Array.isArray(live)) return applied.length === 0 && live === undefined;
  const members = isAtomic ? undefined : MERGE_KEYS.get(name);
  if (members === undefined) {
    const item = { isAtomic: true, name: '' };
    return live.length === applied.length && applied.every((value, i) => coversValue(live[i], value, item));
  }
  const keyOf = (item: unknown): string => JSON.stringify(members.map((key) => (isObject(item) ? item[key] : item)));
  const byKey = new Map(live.map((item) => [keyOf(item), item]));
  return applied.every((item) => coversValue(byKey.get(keyOf(item)), item, { isAtomic, name: '' }));
}

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
