/** Invitations. */

import { createHash } from 'node:crypto';
import { canonicalScope, scopeProblem } from '@gatehouse/crds/kinds';
import type { InviteRow, UserRow } from '@gatehouse/crds/records';
import { invites } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import { acceptInvite, createInvite, directoryOf, isDuplicate, renewInvite } from '../../people/index.ts';
import type { Place } from '../../store/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { workspaceAt } from '../homes.ts';
import { windowOf } from '../pages.ts';
import { absent, written } from '../write.ts';
import { placeOf } from './members-of.ts';

const WHAT = 'invitation';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY_LENGTH = 40;
const PLAIN = { force: false };

/** The token is behind the hash sign, so that no server and no log gets it with a request for the page. */
const linkOf = (token: string): string => `/invite#${token}`;

type Status = 'accepted' | 'cancelled' | 'expired' | 'pending';

function statusOf({ accepted_at, cancelled_at, expires_at }: InviteRow, nowMs: number): Status {
  if (accepted_at !== null) return 'accepted';
  if (cancelled_at !== null) return 'cancelled';
  return expires_at.getTime() <= nowMs ? 'expired' : 'pending';
}

const toView = (row: InviteRow, nowMs: number) => ({
  object: 'invite' as const,
  id: row.id,
  email: row.email,
  role: row.role,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  accepted_at: row.accepted_at?.toISOString() ?? null,
  status: statusOf(row, nowMs),
  invited_by: row.invited_by,
  workspaces: row.workspaces.map(({ workspace, role }) => ({ workspace_id: workspace, role })),
});

function idOf({ path }: Pick<RestCall, 'path'>): string {
  const { inviteId = '' } = path;
  if (!UUID.test(inviteId)) throw absent(WHAT);
  return inviteId;
}

/** Throws RestError for workspaces that the caller does not see, and for scopes that its key or keys of people do not have. */
async function checked({ caller, body }: RestCall<typeof invites.create>, { tenancy }: Services) {
  const workspaces = [];
  for (const [i, { id, role }] of body.workspaces.entries()) {
    const { slug } = await workspaceAt(`workspaces[${i}].id`, id, { caller, tenancy });
    workspaces.push({ workspace: slug, role });
  }
  const scopes = body.workspace_api_key_details?.scopes ?? null;
  for (const [i, scope] of (scopes ?? []).entries()) {
    const param = `workspace_api_key_details.scopes[${i}]`;
    const problem = scopeProblem(scope, 'workspace-user');
    if (problem !== undefined) throw new RestError('INVALID', { message: `${param}: ${problem}`, param });
    if (!caller.scopes.has(canonicalScope(scope))) {
      throw new RestError('FORBIDDEN', { message: `${param}: a key gives no scope that it does not have`, param });
    }
  }
  return { workspaces, scopes };
}

export const INVITES: readonly BoundOperation[] = [
  serveOperation(invites.list, async ({ query }, services) => {
    const now = new Date(services.now());
    const { rows, total } = await directoryOf(services).use(async (queries) => {
      let asked = queries.selectFrom('invites');
      if (query.role !== undefined) asked = asked.where('role', '=', query.role);
      if (query.email !== undefined) asked = asked.where('email', '=', query.email.toLowerCase());
      if (query.status === 'accepted') asked = asked.where('accepted_at', 'is not', null);
      else if (query.status === 'cancelled') asked = asked.where('cancelled_at', 'is not', null);
      else if (query.status !== undefined) {
        asked = asked.where('accepted_at', 'is', null).where('cancelled_at', 'is', null);
        asked = asked.where('expires_at', query.status === 'expired' ? '<=' : '>', now);
      }
      const { limit, offset } = windowOf(query);
      const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      const page = asked.selectAll().orderBy('created_at').orderBy('id').limit(limit).offset(offset);
      return { rows: await page.execute(), total: Number(count) };
    });
    return { object: 'list' as const, total, data: rows.map((row) => toView(row, now.getTime())) };
  }),
  serveOperation(invites.create, async (call, services) => {
    const { email, role } = call.body;
    const { workspaces, scopes } = await checked(call, services);
    const invite = { email, role, workspaces, key_scopes: scopes, invited_by: call.caller.keyId };
    const { id, token } = await directoryOf(services).use((queries) => createInvite(queries, invite, services.now()));
    services.note?.({
      kind: 'Invite',
      object: id,
      action: 'create',
      before: null,
      after: { email, role, workspaces, key_scopes: scopes },
    });
    return { id, invite_link: linkOf(token) };
  }),
  serveOperation(invites.accept, async ({ body }, services) => {
    const { token, first_name: first = '', last_name: last = '' } = body;
    const directory = directoryOf(services);
    // Everybody may send this call: it must not be what starts a database.
    if (!directory.exists()) throw unknownToken();
    const accepted = await directory
      .use((queries) =>
        acceptInvite(queries, { token, first, last, nowMs: services.now() }, (user, invite) =>
          admit(user, invite, services),
        ),
      )
      .catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
        throw new RestError('CONFLICT', { message: 'The person is a user already' });
      });
    if (accepted === undefined) throw unknownToken();
    const { user, result: keys } = accepted;
    const { id, email, role, first_name, last_name } = user;
    services.note?.({
      kind: 'User',
      object: id,
      action: 'create',
      before: null,
      after: { email, role, first_name, last_name },
    });
    return { id: user.id, email: user.email, keys };
  }),
  serveOperation(invites.get, async (call, services) => {
    const id = idOf(call);
    const row = await directoryOf(services).use((queries) =>
      queries.selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    if (row === undefined) throw absent(WHAT);
    return toView(row, services.now());
  }),
  serveOperation(invites.delete, async (call, services) => {
    const id = idOf(call);
    const cancelled = await directoryOf(services).use((queries) =>
      queries
        .updateTable('invites')
        .set({ cancelled_at: new Date(services.now()) })
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('cancelled_at', 'is', null)
        .returning(['email', 'role', 'workspaces', 'key_scopes'])
        .executeTakeFirst(),
    );
    if (cancelled === undefined) throw absent(WHAT);
    services.note?.({ kind: 'Invite', object: id, action: 'delete', before: cancelled, after: null });
    return {};
  }),
  serveOperation(invites.resend, async (call, services) => {
    const id = idOf(call);
    const token = await directoryOf(services).use((queries) => renewInvite(queries, id, services.now()));
    if (token === undefined) throw absent(WHAT);
    services.note?.({ kind: 'Invite', object: id, action: 'update', before: { id }, after: { id } });
    return { inviteLink: linkOf(token) };
  }),
];

/** Memberships, and keys that are in this answer only. A workspace that is gone meanwhile is left out; a failure leaves nothing. */
async function admit(user: UserRow, invite: InviteRow, { store, randomName }: Services) {
  const keys: { workspace_id: string; key: string }[] = [];
  const made: Place[] = [];
  const make = async (place: Place, spec: object, what: string): Promise<void> => {
    written(await store.create(place, { spec: { ...spec } }, PLAIN), what);
    made.push(place);
  };
  try {
    for (const { workspace, role } of invite.workspaces) {
      const home = await store.get({ kind: 'Workspace', namespace: undefined, name: workspace });
      if (home === undefined) continue;
      const { namespace } = home.spec;
      await make(placeOf(namespace, user.id), { user: user.id, role }, 'member');
      if (invite.key_scopes === null) continue;
      const key = `gwk_${randomName(KEY_LENGTH)}`;
      const sha256 = createHash('sha256').update(key).digest('hex');
      const spec = {
        type: 'workspace-user',
        user: user.id,
        displayName: user.email,
        scopes: invite.key_scopes,
        sha256,
      };
      await make({ kind: 'ApiKey', namespace, name: `user-${user.id}` }, spec, 'key');
      keys.push({ workspace_id: home.meta.uid, key });
    }
    return keys;
  } catch (error) {
    for (const place of made.reverse()) await store.delete(place, PLAIN);
    throw error;
  }
}

function unknownToken(): RestError {
  const message = 'The invitation does not exist, has ended, or was accepted';
  return new RestError('ABSENT', { message, param: 'token' });
}
