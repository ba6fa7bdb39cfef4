/** Keys in rows: these name a key by where it is, this API by the UUID of `/api-keys`. docs/behaviour/management.md#api-keys */
import { entryId } from '@gatehouse/crds/snapshot';
import type { Caller } from '../callers/index.ts';
import type { Home } from '../tenancy/index.ts';
import type { Services } from './family.ts';
import { UUID } from './find.ts';

const KEY = /^key\/([^/]*)\/([^/]+)$/;

/** Where the key is that a row names: a workspace, null for the organisation, and a name; undefined: it names none. */
function placeIn(text: string): { readonly workspace: string | null; readonly name: string } | undefined {
  const [, workspace = '', name] = KEY.exec(text) ?? [];
  return name === undefined ? undefined : { workspace: workspace === '' ? null : workspace, name };
}

/** The name of the key that a row names, where it may be one of this home; else undefined. */
export function keyNameIn(text: string, { workspace }: Home): string | undefined {
  const place = placeIn(text);
  return place !== undefined && place.workspace === (workspace?.slug ?? null) ? place.name : undefined;
}

interface KeyNames {
  readonly caller: Caller;
  readonly services: Pick<Services, 'store' | 'tenancy'>;
}

/** What a row says of a key, as it is shown. What it says of anything else, and of keys that are gone or that the caller does not see, stays. */
export type ShownKey = <T extends string | null>(stored: T) => T | string;

/** Of the rows of one page. */
export async function shownKeys(
  stored: Iterable<string | null | undefined>,
  { caller, services: { store, tenancy } }: KeyNames,
): Promise<ShownKey> {
  const places = [...new Set(stored)].flatMap((text) => {
    const place = typeof text === 'string' ? placeIn(text) : undefined;
    return place === undefined ? [] : [{ text: text as string, ...place }]; // as it was just read
  });
  if (places.length === 0) return (text) => text;
  const homes = new Map(
    (await tenancy.visibleTo(caller)).map(({ workspace, namespace }) => [workspace?.slug ?? null, namespace]),
  );
  const ids = new Map<string, string>();
  for (const { text, workspace, name } of places) {
    const namespace = homes.get(workspace);
    const key = namespace === undefined ? undefined : await store.get({ kind: 'ApiKey', namespace, name });
    if (key !== undefined) ids.set(text, key.meta.uid);
  }
  return (text) => (text === null ? text : (ids.get(text) ?? text));
}

/** As rows name the keys with these UUIDs; whatever else is given stays. */
export async function storedKeys(
  given: readonly string[],
  { caller, services: { store, tenancy } }: KeyNames,
): Promise<readonly string[]> {
  if (!given.some((id) => UUID.test(id))) return given;
  const homes = new Map(
    (await tenancy.visibleTo(caller)).map(({ namespace, workspace }) => [namespace, workspace?.slug ?? null]),
  );
  return Promise.all(
    given.map(async (id) => {
      const meta = UUID.test(id) ? (await store.find('ApiKey', id))?.meta : undefined;
      const workspace = meta?.namespace === undefined ? undefined : homes.get(meta.namespace);
      return meta === undefined || workspace === undefined ? id : entryId('key', workspace, meta.name);
    }),
  );
}
