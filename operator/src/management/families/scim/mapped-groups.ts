/** Mappings with the groups and workspaces that they name. */
import type { WorkspaceRole } from '@gatehouse/crds/kinds';
import type { GroupRow } from '@gatehouse/crds/records';
import type { Queries } from '../../database/index.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Services } from '../family.ts';
import { ensureGroup, keyOfName } from './directory-groups.ts';

export type MappingObject = StoredObject<'ScimMapping'>;

export interface Mapping {
  readonly object: MappingObject;
  /** Undefined: nobody has an id like that. */
  readonly group: GroupRow | undefined;
  readonly role: WorkspaceRole;
  /** Undefined: there is no such workspace. */
  readonly workspace: { readonly id: string; readonly slug: string; readonly namespace: string } | undefined;
  /** False: an older one gives the group another role, which counts. */
  readonly applies: boolean;
}

/** Only those in the namespace of the organisation count; oldest first. */
export const mappingObjects = ({ store, tenancy }: Services): Promise<readonly MappingObject[]> =>
  store.list('ScimMapping', tenancy.organisation.namespace);

/** All mappings, oldest first. Groups that only a resource has named so far are made. */
export async function readMappings(queries: Queries, services: Services): Promise<readonly Mapping[]> {
  const objects = await mappingObjects(services);
  const groups = await groupsOf(queries, objects, services.now());
  const workspaces = new Map((await services.store.list('Workspace')).map((one) => [one.meta.name, one]));
  const roles = new Map<string, WorkspaceRole>();
  return objects.map((object) => {
    const { group: named, workspaceRef, role } = object.spec;
    const group = groups.get(named.id ?? keyOfName(named.name ?? ''));
    const home = workspaces.get(workspaceRef.name);
    const counted = group === undefined ? undefined : (roles.get(group.id) ?? role);
    if (group !== undefined && counted !== undefined) roles.set(group.id, counted);
    return {
      ...{ object, group, role, applies: counted === role },
      workspace: home && { id: home.meta.uid, slug: home.meta.name, namespace: home.spec.namespace },
    };
  });
}

/** By id and by key of the name. */
async function groupsOf(
  queries: Queries,
  objects: readonly MappingObject[],
  nowMs: number,
): Promise<ReadonlyMap<string, GroupRow>> {
  const ids = objects.flatMap(({ spec }) => spec.group.id ?? []);
  const names = new Map(
    objects.flatMap(({ spec: { group } }) => (group.name ? [[keyOfName(group.name), group.name]] : [])),
  );
  const rows = [
    ...(ids.length === 0 ? [] : await queries.selectFrom('scim_groups').selectAll().where('id', 'in', ids).execute()),
    ...(names.size === 0
      ? []
      : await queries
          .selectFrom('scim_groups')
          .selectAll()
          .where('name_key', 'in', [...names.keys()])
          .execute()),
  ];
  const found = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.name_key, row] as const]));
  for (const [key, name] of names) if (!found.has(key)) found.set(key, await ensureGroup(queries, name, nowMs));
  return found;
}
