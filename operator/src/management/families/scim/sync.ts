/** Brings the memberships that groups give to what the directory and the mappings say: docs/behaviour/people.md#scim. */
import type { Queries } from '../../database/index.ts';
import { isScimMade, type ResourceStore, SCIM_LABELS, type WriteProblem } from '../../store/index.ts';
import type { Services } from '../family.ts';
import { type Member, placeOf } from '../people/index.ts';
import { type Mapping, mappingObjects, readMappings } from './mapped-groups.ts';
import { type MappedPeople, type MembershipPlan, planMembers, type Wanted, wantedMembers } from './membership-plan.ts';
import { deleteKeys } from './withdrawal.ts';

/** The number that processes agree on: one of them at a time. */
const LOCK = 4_028_717_616;
/** Writes at the same time. */
const WRITERS = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FORCED = { force: true };

interface PresentMember {
  readonly namespace: string;
  readonly user: string;
  readonly role: Member['spec']['role'];
  readonly isMade: boolean;
  readonly object: Member;
}

/** The same result after any interruption. Rejects with the first failure, after everything else has been tried. */
export async function syncMembers(services: Services): Promise<void> {
  const { database, store } = services;
  // Without a database nothing is known of groups: what they gave stays.
  if (database?.exists() !== true) return;
  const made = (await store.list('WorkspaceMember')).some(({ meta }) => isScimMade(meta));
  if (!made && (await mappingObjects(services)).length === 0) return;
  await database.use((queries) =>
    alone(queries, async (transaction) => {
      const mappings = await readMappings(transaction, services);
      const plan = planMembers(await wantedBy(transaction, mappings), await presentMembers(store));
      const gone = await suspendedOf(transaction, plan);
      const mapped = new Set(mappings.flatMap(({ workspace }) => workspace?.namespace ?? []));
      await apply(store, plan, ({ namespace, user }) => gone.has(user) || !mapped.has(namespace));
    }),
  );
}

/** One process after the other. */
export const alone = <T>(queries: Queries, work: (transaction: Queries) => Promise<T>): Promise<T> =>
  queries.transaction().execute(async (transaction) => {
    await transaction.selectNoFrom(({ fn, val }) => fn('pg_advisory_xact_lock', [val(LOCK)]).as('locked')).execute();
    return work(transaction);
  });

export async function wantedBy(queries: Queries, mappings: readonly Mapping[]): Promise<Wanted> {
  const ids = [...new Set(mappings.flatMap(({ group }) => group?.id ?? []))];
  const rows =
    ids.length === 0
      ? []
      : await queries
          .selectFrom('scim_group_members')
          .innerJoin('users', 'users.id', 'scim_group_members.user_id')
          .select(['scim_group_members.group_id', 'scim_group_members.user_id'])
          .where('scim_group_members.group_id', 'in', ids)
          .where('users.active', '=', true)
          .execute();
  const people = Map.groupBy(rows, ({ group_id }) => group_id);
  return wantedMembers(
    mappings.flatMap(({ group, workspace, role, applies }): MappedPeople[] => {
      if (!applies || group === undefined || workspace === undefined) return [];
      const users = (people.get(group.id) ?? []).map(({ user_id }) => user_id);
      return [{ namespace: workspace.namespace, role, users }];
    }),
  );
}

const presentMembers = async (store: ResourceStore): Promise<readonly PresentMember[]> =>
  (await store.list('WorkspaceMember')).map((object) => ({
    ...{ namespace: object.meta.namespace ?? '', user: object.spec.user, role: object.spec.role },
    ...{ isMade: isScimMade(object.meta), object },
  }));

/** People whose accounts the directory has suspended. */
async function suspendedOf(queries: Queries, { end }: MembershipPlan<PresentMember>): Promise<ReadonlySet<string>> {
  const users = [...new Set(end.map(({ member }) => member.user))].filter((user) => UUID.test(user));
  if (users.length === 0) return new Set();
  const rows = await queries
    .selectFrom('users')
    .select('id')
    .where('id', 'in', users)
    .where('active', '=', false)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Keys go with the account, and where no mapping is left that makes the workspace ask for members. Otherwise they stay without rights:
 * who moves from one group to another one keeps them.
 */
async function apply(
  store: ResourceStore,
  { create, change, end }: MembershipPlan<PresentMember>,
  endsKeys: (member: PresentMember) => boolean,
): Promise<void> {
  const tasks = [
    ...end.map(({ member, isMember }) => async () => {
      const { namespace = '', name } = member.object.meta;
      // Keys first: where the membership is the last one, a workspace may stop asking for it.
      if (!isMember && endsKeys(member)) {
        await deleteKeys(store, (key) => key.meta.namespace === namespace && key.spec.user === member.user);
      }
      await done(store.delete({ kind: 'WorkspaceMember', namespace, name }, FORCED), ['absent']);
    }),
    ...change.map(({ member, role }) => () => {
      const { namespace = '', name } = member.object.meta;
      const update = store.update(
        { kind: 'WorkspaceMember', namespace, name },
        ({ spec }) => ({ spec: { ...spec, role } }),
        FORCED,
      );
      return done(update, ['absent']);
    }),
    ...create.map(({ namespace, user, role }) => () => {
      const draft = { spec: { user, role }, labels: SCIM_LABELS };
      return done(store.create(placeOf(namespace, user), draft, FORCED), ['exists']);
    }),
  ];
  await runAll(tasks);
}

type Outcome = { readonly ok: boolean; readonly error?: WriteProblem };

/** Throws for a problem that is none of those which another write explains. */
async function done(write: Promise<Outcome>, explained: readonly WriteProblem['kind'][]): Promise<void> {
  const { error } = await write;
  if (error !== undefined && !explained.includes(error.kind))
    throw new Error(`a membership was not written: ${error.kind}`);
}

async function runAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  const waiting = tasks.values();
  const work = async (): Promise<void> => {
    for (const task of waiting) await task().catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: WRITERS }, work));
  if (failures.length > 0) throw new Error(`${failures.length} memberships were not written`, { cause: failures[0] });
}
