/** Collections that calls name. The default one of a workspace is no object: it has the UUID of the workspace. */

import { referenceAbsent } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Home, Tenancy } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { findObject, homesMeant } from '../find.ts';
import { referred } from '../homes.ts';

const WHAT = 'collection';
export const DEFAULT_SLUG = 'default';

export type CollectionObject = StoredObject<'PromptCollection'>;
type Named = Pick<RestCall, 'caller' | 'workspaceId'>;

export interface FoundCollection {
  /** Undefined: the default one. */
  readonly object: CollectionObject | undefined;
  readonly home: Home;
}

/** UUID of the default collection. */
export const defaultIdOf = ({ workspace }: Home, { organisationId }: Tenancy): string =>
  workspace?.id ?? organisationId;

/** By slug or UUID. Throws RestError ABSENT. */
export async function findCollection(idOrSlug: string, call: Named, services: Services): Promise<FoundCollection> {
  const homes = await homesMeant(call, services);
  const home =
    homes.find((one) => defaultIdOf(one, services.tenancy) === idOrSlug) ??
    (idOrSlug === DEFAULT_SLUG && homes.length === 1 ? homes[0] : undefined);
  return home === undefined
    ? findObject('PromptCollection', idOrSlug, { call, services }, WHAT)
    : { object: undefined, home };
}

/** The name of a collection in a home; null: the default one, also where none is named. Throws RestError REFERENCE_ABSENT. */
export async function collectionIn(
  home: Home,
  { given, param, call }: { readonly given: string | null; readonly param: string; readonly call: Named },
  services: Services,
): Promise<string | null> {
  if (given === null) return null;
  const workspaceId = home.workspace?.id;
  const found = await referred(param, () => findCollection(given, { caller: call.caller, workspaceId }, services));
  if (found.home.namespace === home.namespace) return found.object?.meta.name ?? null;
  throw referenceAbsent(param, `The ${WHAT} does not exist in the organisation`);
}

type Collected = { readonly spec: { readonly collectionRef?: { readonly name: string } | undefined } };

/** The reference to a collection for a draft; undefined: the body does not name one. */
export async function collectionRefOf(
  home: Home,
  given: string | null | undefined,
  call: Named,
  services: Services,
): Promise<{ readonly name: string } | null | undefined> {
  if (given === undefined) return undefined;
  const name = await collectionIn(home, { given, param: 'collection_id', call }, services);
  return name === null ? null : { name };
}

/** The UUID of the collection that holds a prompt or partial; null: it does not exist. */
export async function collectionIdOf(
  { spec: { collectionRef } }: Collected,
  home: Home,
  { store, tenancy }: Services,
): Promise<string | null> {
  if (collectionRef === undefined) return defaultIdOf(home, tenancy);
  const place = { kind: 'PromptCollection', namespace: home.namespace, name: collectionRef.name } as const;
  return (await store.get(place))?.meta.uid ?? null;
}

/** Those in a collection, of all of its home. */
export async function inCollection<T extends Collected>(
  all: readonly T[],
  home: Home,
  { given, call }: { readonly given: string | undefined; readonly call: Named },
  services: Services,
): Promise<readonly T[]> {
  if (given === undefined) return all;
  const name = await collectionIn(home, { given, param: 'collection_id', call }, services);
  return all.filter(({ spec: { collectionRef } }) => (collectionRef?.name ?? null) === name);
}
