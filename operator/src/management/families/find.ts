/** Objects that paths name by slug or by UUID. */
import type { KindName } from '@gatehouse/crds/kinds';
import type { StoredObject } from '../store/index.ts';
import type { Home } from '../tenancy/index.ts';
import type { RestCall, Services } from './family.ts';
import { absent } from './write.ts';

export interface Found<K extends KindName> {
  readonly object: StoredObject<K>;
  readonly home: Home;
}

/** Where the objects may be that a call is about: what the caller sees, or the workspace that it names. */
export async function homesMeant(
  { caller, workspaceId }: Pick<RestCall, 'caller' | 'workspaceId'>,
  { tenancy }: Pick<Services, 'tenancy'>,
): Promise<readonly Home[]> {
  const visible = await tenancy.visibleTo(caller);
  const isMeant = ({ workspace }: Home) =>
    workspaceId === undefined || workspace?.slug === workspaceId || workspace?.id === workspaceId;
  return visible.filter(isMeant);
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Finding {
  readonly call: Pick<RestCall, 'caller' | 'workspaceId'>;
  readonly services: Services;
  /** The slug in another way to name an object of a home; undefined: it is none. */
  readonly nameIn?: (text: string, home: Home) => string | undefined;
}

/**
 * The object of a Kind in a namespace that the caller may see. Throws RestError ABSENT, also for one of another workspace: that it
 * exists is not said.
 */
export async function findObject<K extends KindName>(
  kind: K,
  idOrSlug: string,
  { call, services, nameIn }: Finding,
  what: string,
): Promise<Found<K>> {
  const { store } = services;
  const homes = await homesMeant(call, services);
  if (UUID.test(idOrSlug)) {
    const object = await store.find(kind, idOrSlug);
    const home = homes.find(({ namespace }) => namespace === object?.meta.namespace);
    if (object !== undefined && home !== undefined) return { object, home };
  }
  for (const home of homes) {
    const name = nameIn?.(idOrSlug, home) ?? idOrSlug;
    const object = await store.get({ kind, namespace: home.namespace, name });
    if (object !== undefined) return { object, home };
  }
  throw absent(what);
}
