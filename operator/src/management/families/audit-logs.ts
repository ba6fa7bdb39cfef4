/** Records of writes, as they are in the database. docs/behaviour/people.md#audit */
import type { AuditRow } from '@gatehouse/crds/records';
import { AUDIT_ACTIONS, type AuditAction, auditLogs } from '@gatehouse/crds/rest';
import type { ExpressionBuilder } from 'kysely';
import type { z } from 'zod';
import { actionOf, OTHER_ACTIONS } from '../audit/index.ts';
import { DatabaseAway, type Tables } from '../database/index.ts';
import { type BoundOperation, type Services, serveOperation } from './family.ts';
import { type ShownKey, shownKeys, storedKeys } from './key-ids.ts';
import { windowOf } from './pages.ts';

type Query = z.output<typeof auditLogs.list.query>;
type Builder = ExpressionBuilder<Tables, 'audit_records'>;

/** Records have the contents of objects. */
const MAX_PAGE = 100;

/** The slugs and the UUIDs of the workspaces that there are. */
interface Workspaces {
  readonly idOf: ReadonlyMap<string, string>;
  readonly slugOf: ReadonlyMap<string, string>;
}

async function workspacesOf({ store }: Services): Promise<Workspaces> {
  const all = (await store.list('Workspace')).map(({ meta }) => [meta.name, meta.uid] as const);
  return { idOf: new Map(all), slugOf: new Map(all.map(([slug, id]) => [id, slug])) };
}

/** Somebody whom the API server knows. */
const KUBERNETES = 'kubernetes' as const;

const ofType = (where: Builder, type: NonNullable<Query['user_type']>) =>
  type === KUBERNETES
    ? where('outside', '=', true)
    : where.and([where('actor_type', '=', type), where('outside', '=', false)]);

/** `resource.action`. */
const RESOURCE = 1;
const ACTION = 2;

const isAction = (text: string): text is AuditAction => AUDIT_ACTIONS.some((action) => action === text);

/** Of one of the actions, as `actionOf` tells them; another word is the last part of operations. */
function ofAction(where: Builder, action: string) {
  const part = where.fn<string>('split_part', ['operation', where.val('.'), where.lit(ACTION)]);
  if (!isAction(action)) return where(part, '=', action);
  const others = [...OTHER_ACTIONS].flatMap(([operation, is]) => (is === action ? operation : []));
  const isPlain = where(part, '=', action);
  return where.or([
    where('operation', 'in', ['', ...others]),
    where.and([
      where('operation', 'not in', [...OTHER_ACTIONS.keys()]),
      action === 'manage' ? where.or([isPlain, where(part, 'not in', [...AUDIT_ACTIONS])]) : isPlain,
    ]),
  ]);
}

interface AskedQuery extends Query {
  /** The user as rows name a key. */
  readonly actor: string | undefined;
}

/** Countries are not known of any record. */
const fromPlace = (where: Builder, { client_ip: address, country }: Query) => [
  address && where('client_ip', '=', address),
  country && where.lit(false),
];

function conditionOf(query: AskedQuery, { slugOf }: Workspaces) {
  return (where: Builder) => {
    const part = (at: number) => where.fn<string>('split_part', ['operation', where.val('.'), where.lit(at)]);
    const { workspace_id: named, user_id: user } = query;
    const workspace = named === undefined ? undefined : (slugOf.get(named) ?? named);
    const conditions = [
      query.start_time && where('at', '>=', new Date(query.start_time)),
      query.end_time && where('at', '<=', new Date(query.end_time)),
      query.method && where('method', '=', query.method),
      query.uri && where('path', '=', query.uri),
      query.request_id && where('request_id', '=', query.request_id),
      user && where.or([where('actor_user', '=', user), where('actor_id', '=', query.actor ?? user)]),
      query.user_type && ofType(where, query.user_type),
      workspace && where('workspace', '=', workspace),
      query.response_status_code && where('status', '=', query.response_status_code),
      query.resource_type && where(part(RESOURCE), '=', query.resource_type),
      query.action && ofAction(where, query.action),
      ...fromPlace(where, query),
    ];
    return where.and(conditions.filter((one) => typeof one === 'object'));
  };
}

interface Shown extends Workspaces {
  readonly organisationId: string;
  readonly shownKey: ShownKey;
}

function toView(row: AuditRow, { idOf, organisationId, shownKey }: Shown) {
  const [resource = ''] = row.operation.split('.');
  return {
    id: row.id,
    timestamp: row.at.toISOString(),
    method: row.method,
    uri: row.path,
    request_id: row.request_id,
    user_id: row.actor_user ?? shownKey(row.actor_id),
    user_type: row.outside ? KUBERNETES : row.actor_type,
    organisation_id: organisationId,
    workspace_id: row.workspace === null ? null : (idOf.get(row.workspace) ?? row.workspace),
    response_status_code: row.status,
    resource_type: resource,
    action: actionOf(row.operation),
    operation: row.operation,
    ...{ request_body: row.request_body, query_params: row.query_params, request_headers: row.request_headers },
    ...{ client_ip: row.client_ip, country: null },
    error_code: row.error_code,
    forced: row.forced,
    changes: row.changes,
  };
}

export const AUDIT_LOGS: readonly BoundOperation[] = [
  serveOperation(auditLogs.list, async ({ caller, query: given }, services) => {
    const { database, tenancy } = services;
    if (database === undefined) throw new DatabaseAway('Records are in the log: DATABASE_URL names no database');
    const workspaces = await workspacesOf(services);
    const { user_id: user } = given;
    const [actor] = user === undefined ? [] : await storedKeys([user], { caller, services });
    const query = { ...given, actor };
    const { limit, offset } = windowOf(query, MAX_PAGE);
    const { rows, total } = await database.use(async (queries) => {
      const asked = queries.selectFrom('audit_records').where(conditionOf(query, workspaces));
      const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      const page = asked.selectAll().orderBy('at', 'desc').orderBy('id').limit(limit).offset(offset);
      return { rows: await page.execute(), total: Number(count) };
    });
    const actors = rows.map((row) => row.actor_id);
    const shownKey = await shownKeys(actors, { caller, services });
    const shown = { ...workspaces, organisationId: tenancy.organisationId, shownKey };
    const records = rows.map((row) => toView(row, shown));
    return { object: 'list' as const, total, records };
  }),
];
