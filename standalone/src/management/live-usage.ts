/** What budgets have used, as this process counts them: no operator writes the statuses of a folder. */
import { isKindName, KINDS, type KindName, type UsageRow } from '@gatehouse/crds/kinds';
import { formatAmount, usedPercent } from '@gatehouse/crds/usage';
import type { BudgetUsage } from '@gatehouse/gateway';
import type { ResourceStore, StoredObject } from '@gatehouse/operator/management';
import { originsOf } from '@gatehouse/operator/translate';

export interface LiveUsageOptions {
  /** The budgets that requests have met. Never rejects. */
  readonly usage: () => Promise<readonly BudgetUsage[]>;
  readonly organisationNamespace: string;
  /** Unix time in ms. */
  now(): number;
}

/** A store whose objects have what their budgets have used in their status. */
export function withLiveUsage(store: ResourceStore, options: LiveUsageOptions): ResourceStore {
  const shown = async <K extends KindName>(objects: readonly StoredObject<K>[]): Promise<StoredObject<K>[]> => {
    if (!objects.some(hasBudgets)) return [...objects];
    const rows = await rowsOf(store, options);
    return objects.map((object) => {
      const usage = hasBudgets(object) ? rows.get(placeOf(object.kind, object.meta)) : undefined;
      return usage === undefined ? object : { ...object, status: { ...object.status, usage } };
    });
  };
  const shownOne = async <K extends KindName>(object: StoredObject<K> | undefined) =>
    object === undefined ? undefined : (await shown([object]))[0];
  return {
    ...store,
    get: async (place) => shownOne(await store.get(place)),
    list: async (kind, namespace) => shown(await store.list(kind, namespace)),
    find: async (kind, uid) => shownOne(await store.find(kind, uid)),
  };
}

const hasBudgets = ({ spec }: StoredObject): boolean =>
  'usageLimits' in spec && Array.isArray(spec.usageLimits) && spec.usageLimits.length > 0;

interface Named {
  readonly namespace: string | undefined;
  readonly name: string;
}

const placeOf = (kind: KindName, { namespace, name }: Named): string =>
  KINDS[kind].scope === 'Cluster' ? `${kind}/${name}` : `${kind}/${namespace ?? ''}/${name}`;

/** By the place of the object; of several counters of one budget the one with the least left. */
async function rowsOf(store: ResourceStore, { usage, now, ...options }: LiveUsageOptions) {
  const namespaces = new Map([['', options.organisationNamespace]]);
  for (const { meta, spec } of await store.list('Workspace')) namespaces.set(meta.name, spec.namespace);
  const nowMs = now();
  const rows = new Map<string, UsageRow[]>();
  for (const counter of await usage()) {
    const { owner, name } = counter.budget;
    if (owner.kind === 'policy' || (counter.resetsAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
    for (const place of placesOf(owner, { namespaces, ...options })) {
      const known = rows.get(place) ?? [];
      const row = toRow(counter);
      const same = known.find((other) => other.name === name);
      if (same !== undefined && same.usedPercent >= row.usedPercent) continue;
      rows.set(place, [...known.filter((other) => other !== same), row]);
    }
  }
  return rows;
}

interface Places extends Pick<LiveUsageOptions, 'organisationNamespace'> {
  /** By workspace; empty: the organisation. */
  readonly namespaces: ReadonlyMap<string, string>;
}

/** Where the objects are that may have the budget: the id of an account fits two Kinds, of which one is served. */
function placesOf(
  { kind, id }: BudgetUsage['budget']['owner'],
  { namespaces, organisationNamespace }: Places,
): readonly string[] {
  if (kind === 'access') {
    const name = id.split('/').slice(2).join('/');
    return [placeOf('IntegrationAccess', { namespace: organisationNamespace, name })];
  }
  return originsOf(id).flatMap((origin) => {
    const [found = '', workspace = '', ...rest] = origin.split('/');
    return isKindName(found) ? [placeOf(found, { namespace: namespaces.get(workspace), name: rest.join('/') })] : [];
  });
}

function toRow({ budget: { name, type, limit }, used, periodStartMs, resetsAtMs }: BudgetUsage): UsageRow {
  return {
    ...{ name, type, limit: formatAmount(type, limit), used: formatAmount(type, used) },
    usedPercent: usedPercent({ used, limit }),
    ...(periodStartMs === 0 ? {} : { periodStartTime: toTime(periodStartMs) }), // 0: it is never reset
    ...(resetsAtMs === undefined ? {} : { nextResetTime: toTime(resetsAtMs) }),
  };
}

/** As times in statuses are written: whole seconds. */
const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
