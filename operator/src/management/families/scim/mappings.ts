/** Which groups of the directory are members of which workspaces. */

import { createHash } from 'node:crypto';
import type { GroupRow } from '@gatehouse/crds/records';
import { scimMappings } from '@gatehouse/crds/rest';
import type { Queries } from '../../database/index.ts';
import { RestError, referenceAbsent } from '../../http/rest-error.ts';
import { directoryOf } from '../../people/index.ts';
import { isScimMade, SCIM_LABELS } from '../../store/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { workspaceAt } from '../homes.ts';
import { absent, written } from '../write.ts';
import { ensureGroup, findGroup } from './directory-groups.ts';
import { type Mapping, readMappings } from './mapped-groups.ts';
import { scimPageOf } from './scim-pages.ts';
import { settleMembers } from './settle.ts';
import { alone, wantedBy } from './sync.ts';

const WHAT = 'mapping';
const NAME_DIGITS = 24;

const toView = ({ object, group, role, workspace }: Mapping) => ({
  id: object.meta.uid,
  workspace_id: workspace?.id ?? '',
  scim_group: group?.display_name ?? object.spec.group.name ?? '',
  role,
  scim_group_id: group?.id ?? object.spec.group.id ?? '',
});

/** One mapping of a pair at most: the name is made of both. */
const nameOf = (group: string, workspace: string): string =>
  `scim-${createHash('sha256').update(`${group} ${workspace}`).digest('hex').slice(0, NAME_DIGITS)}`;

/** The group that a body names. Throws RestError REFERENCE_ABSENT for an id that no group has. */
async function groupOf(
  queries: Queries,
  { scim_group_id: id, scim_group_name: name = '' }: RestCall<typeof scimMappings.create>['body'],
  nowMs: number,
): Promise<GroupRow> {
  if (id === undefined) return ensureGroup(queries, name, nowMs);
  const group = await findGroup(queries, id);
  if (group === undefined) throw referenceAbsent('scim_group_id', 'The group does not exist');
  return group;
}

export const SCIM_MAPPINGS: readonly BoundOperation[] = [
  serveOperation(scimMappings.list, async ({ query }, services) => {
    const mappings = await directoryOf(services).use((queries) => readMappings(queries, services));
    const { workspace_id: workspaceId, scim_group_id: groupId, role } = query;
    const asked = mappings.filter(
      ({ group, workspace, ...mapping }) =>
        workspace !== undefined &&
        (workspaceId === undefined || workspace.id === workspaceId || workspace.slug === workspaceId) &&
        (groupId === undefined || group?.id === groupId) &&
        (role === undefined || mapping.role === role),
    );
    return { mappings: scimPageOf(asked, query).map(toView), total_count: asked.length };
  }),
  serveOperation(scimMappings.create, async (call, services) => {
    const { caller, body, force } = call;
    const workspace = await workspaceAt('workspace_id', body.workspace_id, { caller, tenancy: services.tenancy });
    const { group, mappings } = await directoryOf(services).use(async (queries) => ({
      group: await groupOf(queries, body, services.now()),
      mappings: await readMappings(queries, services),
    }));
    const ofGroup = mappings.filter((mapping) => mapping.group?.id === group.id);
    const other = ofGroup.find(({ role }) => role !== body.role);
    if (other !== undefined) {
      const message = `role: the group is ${other.role} in ${other.workspace?.slug ?? 'another workspace'}, and has one role in all workspaces`;
      throw new RestError('INVALID', { message, param: 'role' });
    }
    const present = ofGroup.find((mapping) => mapping.workspace?.slug === workspace.slug);
    if (present !== undefined) return toView(present);
    const { namespace } = services.tenancy.organisation;
    const place = { kind: 'ScimMapping', namespace, name: nameOf(group.id, workspace.slug) } as const;
    const spec = { group: { id: group.id }, workspaceRef: { name: workspace.slug }, role: body.role };
    const made = await services.store.create(place, { spec }, { force });
    // Somebody else made the same one meanwhile.
    const object = !made.ok && made.error.kind === 'exists' ? await services.store.get(place) : written(made, WHAT);
    if (object === undefined) throw absent(WHAT);
    await settleMembers(services);
    const shown = { id: object.meta.uid, workspace_id: workspace.id, scim_group: group.display_name };
    return { ...shown, role: object.spec.role, scim_group_id: group.id };
  }),
  serveOperation(scimMappings.delete, async (call, services) => {
    const object = await services.store.find('ScimMapping', call.path['scimWorkspaceGroupId'] ?? '');
    const { namespace } = services.tenancy.organisation;
    if (object === undefined || object.meta.namespace !== namespace) throw absent(WHAT);
    const place = { kind: 'ScimMapping', namespace, name: object.meta.name } as const;
    const { force } = call;
    written(await services.store.delete(place, { force, dryRun: true }), WHAT);
    await directoryOf(services).use((queries) =>
      alone(queries, async (transaction) => {
        if (call.query.remove_members !== 'true') await handOver(transaction, object.meta.uid, services);
        written(await services.store.delete(place, { force }), WHAT);
      }),
    );
    await settleMembers(services);
    return { success: true };
  }),
];

/** Members whom no other mapping makes stay, as if somebody had added them. */
async function handOver(queries: Queries, id: string, services: Services): Promise<void> {
  const mappings = await readMappings(queries, services);
  const ended = mappings.find(({ object }) => object.meta.uid === id);
  const namespace = ended?.workspace?.namespace;
  if (ended === undefined || namespace === undefined) return;
  const before = (await wantedBy(queries, mappings)).get(namespace);
  const left = await wantedBy(
    queries,
    mappings.filter((mapping) => mapping !== ended),
  );
  const unlabelled = Object.fromEntries(Object.keys(SCIM_LABELS).map((label) => [label, undefined]));
  for (const { meta, spec } of await services.store.list('WorkspaceMember', namespace)) {
    if (!isScimMade(meta) || before?.has(spec.user) !== true || left.get(namespace)?.has(spec.user) === true) continue;
    const place = { kind: 'WorkspaceMember', namespace, name: meta.name } as const;
    const kept = (current: { readonly spec: object }) => ({ spec: { ...current.spec }, labels: unlabelled });
    written(await services.store.update(place, kept, { force: true }), 'member');
  }
}
