/** Exports of logs. docs/behaviour/request-logs.md#exports */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { withoutGatewayKeys } from '@gatehouse/crds';
import type { ExportField, ExportRow } from '@gatehouse/crds/logs';
import { logExports } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { Caller } from '../callers/index.ts';
import { logOff, RestError } from '../http/rest-error.ts';
import { type ExportScope, isGoodLink, type LogExports, linkOf, newLinkKey, readFile } from '../log-exports/index.ts';
import {
  type BoundOperation,
  HttpAnswer,
  type RestCall,
  type Services,
  serveOperation,
  serveStream,
} from './family.ts';
import { homesMeant, UUID } from './find.ts';
import { type ShownKey, shownKeys } from './key-ids.ts';
import { filterOf } from './logs/index.ts';
import { windowOf } from './pages.ts';
import { absent } from './write.ts';

type Filters = z.output<typeof logExports.create.body>['filters'];

const MAX_OF_WORKSPACE = 100;
const LINK_SECONDS = 900;

function exportsOf({ exports }: Services): LogExports {
  if (exports !== undefined) return exports;
  throw logOff();
}

const creatorOf = ({ user, keyId }: Caller): string => user ?? keyId;

/** People and their keys have those that they have made; other keys those of their workspace. */
async function scopeOf(call: Pick<RestCall, 'caller' | 'workspaceId'>, services: Services): Promise<ExportScope> {
  const homes = await homesMeant(call, services);
  const workspaces = homes.flatMap(({ workspace }) => workspace?.slug ?? []);
  return { workspaces, creator: call.caller.type === 'workspace-user' ? creatorOf(call.caller) : undefined };
}

async function findExport(call: RestCall, services: Services): Promise<ExportRow> {
  const { exportId: id = '' } = call.path;
  const { jobs } = exportsOf(services);
  const scope = await scopeOf(call, services);
  const isAny = UUID.test(id) && scope.workspaces?.length !== 0;
  const found = isAny ? await jobs.find(id, scope) : undefined;
  if (found === undefined) throw absent('export');
  return found;
}

/** Shown as they were given; keys stand in no row that they could find. */
const shownFilters = (filters: Filters): Record<string, unknown> =>
  JSON.parse(withoutGatewayKeys(JSON.stringify(filters)));

async function queryOf(filters: Filters, workspace: string, { caller }: RestCall, services: Services) {
  const { metadata, current_page: _, page_size: __, ...query } = filters;
  const text = metadata === undefined || typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  return filterOf({ caller, query: { ...query, workspace_slug: workspace, metadata: text } }, services);
}

/** Fields that the organisation leaves out. */
async function deniedFields({ store }: Services): Promise<readonly string[]> {
  const organisation = await store.get({ kind: 'Organisation', namespace: undefined, name: 'default' });
  return organisation?.spec.deniedExportFields ?? [];
}

async function allowedOf(fields: readonly ExportField[], services: Services): Promise<readonly ExportField[]> {
  const denied = await deniedFields(services);
  const allowed = [...new Set(fields)].filter((field) => !denied.includes(field));
  if (allowed.length > 0) return allowed;
  const message = 'requested_data: the organisation leaves all of these fields out of exports';
  throw new RestError('INVALID', { message, param: 'requested_data' });
}

function ended(row: ExportRow, what: string): RestError {
  return new RestError('CONFLICT', { message: `The export is ${row.status.replace('_', ' ')}: ${what}` });
}

interface Shown {
  readonly idOf: ReadonlyMap<string, string>;
  readonly organisationId: string;
  readonly shownKey: ShownKey;
}

function toView(row: ExportRow, { idOf, organisationId, shownKey }: Shown) {
  return {
    ...{ id: row.id, organisation_id: organisationId, workspace_id: idOf.get(row.workspace) ?? row.workspace },
    ...{ filters: { ...row.filters }, requested_data: [...row.fields], status: row.status, problem: row.problem },
    ...{ description: row.description, created_at: row.created_at.toISOString() },
    ...{ last_updated_at: row.updated_at.toISOString(), created_by: shownKey(row.created_by) },
    ...{ total_records: row.total_records, object: 'export' as const },
  };
}

async function shownIn(rows: readonly ExportRow[], services: Services, caller: Caller): Promise<Shown> {
  const { organisationId, visibleTo } = services.tenancy;
  const workspaces = (await visibleTo(caller)).flatMap(({ workspace }) => workspace ?? []);
  const creators = rows.map((row) => row.created_by);
  return {
    idOf: new Map(workspaces.map(({ slug, id }) => [slug, id])),
    organisationId,
    shownKey: await shownKeys(creators, { caller, services }),
  };
}

const written = ({ id, total_records: total }: Pick<ExportRow, 'id' | 'total_records'>) => ({
  ...{ id, total, object: 'export' as const },
});
const told = (message: string) => ({ message, object: 'export' as const });

/** Of the place where the caller has found this API. */
function absoluteUrl(path: string, { host, protocol }: RestCall['headers']): string {
  const base = `${protocol === 'https' ? 'https' : 'http'}://${host ?? ''}`;
  if (!URL.canParse(path, base)) throw new RestError('INVALID', { message: 'The Host of the request is none' });
  return new URL(path, base).href;
}

const READING: readonly BoundOperation[] = [
  serveOperation(logExports.list, async (call, services) => {
    const { jobs } = exportsOf(services);
    const scope = await scopeOf(call, services);
    const page = windowOf(call.query);
    const { rows, total } = scope.workspaces?.length === 0 ? NOTHING : await jobs.list(scope, page);
    const shown = await shownIn(rows, services, call.caller);
    const data = rows.map((row) => toView(row, shown));
    return { object: 'list' as const, total, data };
  }),
  serveOperation(logExports.restrictions, async (_, services) => ({
    denied_fields: [...(await deniedFields(services))],
  })),
  serveOperation(logExports.get, async (call, services) => {
    const row = await findExport(call, services);
    return toView(row, await shownIn([row], services, call.caller));
  }),
  serveOperation(logExports.download, async (call, services) => {
    const row = await findExport(call, services);
    if (row.status !== 'success') throw ended(row, 'there is a file once it has ended with success');
    const expires = Math.floor(services.now() / 1_000) + LINK_SECONDS;
    return { signed_url: absoluteUrl(linkOf(row, expires), call.headers) };
  }),
  serveStream(logExports.file, async ({ path, query }, services) => {
    const { exportId: id = '' } = path;
    const { jobs } = exportsOf(services);
    const row = UUID.test(id) ? await jobs.find(id, { workspaces: undefined, creator: undefined }) : undefined;
    if (row?.status !== 'success' || !isGoodLink(row, query, services.now())) {
      throw new RestError('FORBIDDEN', { message: 'The link is not valid, or has ended; ask for another one' });
    }
    const headers = {
      'content-type': logExports.file.media,
      'content-disposition': `attachment; filename="export-${row.id}.jsonl"`,
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    };
    return new HttpAnswer(Readable.from(readFile(row, jobs), { objectMode: false }), headers);
  }),
];

const NOTHING = { rows: [], total: 0 };

const WRITING: readonly BoundOperation[] = [
  serveOperation(logExports.create, async (call, services) => {
    const { caller, body } = call;
    const { jobs } = exportsOf(services);
    const { workspace } = await services.tenancy.workspaceOf(caller, body.workspace_id ?? body.filters.workspace_slug);
    const slug = workspace?.slug ?? '';
    await queryOf(body.filters, slug, call, services); // it can be asked
    await allowedOf(body.requested_data, services);
    const now = new Date(services.now());
    const row = {
      ...{
        id: randomUUID(),
        workspace: slug,
        description: withoutGatewayKeys(body.description ?? ''),
        link_key: newLinkKey(),
      },
      ...{ filters: shownFilters(body.filters), fields: [...new Set(body.requested_data)] },
      ...{ api_key: caller.isSession ? null : caller.keyId, created_by: creatorOf(caller) },
      ...{ created_at: now, updated_at: now, max_records: body.filters.page_size },
    };
    if (await jobs.create(row, MAX_OF_WORKSPACE)) return written({ ...row, total_records: 0 });
    const message = `The workspace has ${MAX_OF_WORKSPACE} exports; each goes a week after its last change`;
    throw new RestError('CONFLICT', { message });
  }),
  serveOperation(logExports.update, async (call, services) => {
    const { filters, requested_data: given } = call.body;
    const row = await findExport(call, services);
    await queryOf(filters, row.workspace, call, services); // it can be asked
    if (given !== undefined) await allowedOf(given, services);
    const change = { filters: shownFilters(filters), fields: given ?? row.fields, max_records: filters.page_size };
    if (await exportsOf(services).jobs.edit(row.id, change, new Date(services.now()))) return written(row);
    throw ended(row, 'only a draft is changed');
  }),
  serveOperation(logExports.start, async (call, services) => {
    const row = await findExport(call, services);
    const exports = exportsOf(services);
    const filters = logExports.update.body.shape.filters.parse(row.filters); // as they were checked when they came
    const filter = await queryOf(filters, row.workspace, call, services);
    const progress = { filter, fields: await allowedOf(row.fields, services), before: null };
    if (!(await exports.jobs.start(row.id, progress, new Date(services.now())))) {
      throw ended(row, 'only a draft, or one that has failed, is started');
    }
    exports.look();
    return told('The export was started');
  }),
  serveOperation(logExports.cancel, async (call, services) => {
    const row = await findExport(call, services);
    if (await exportsOf(services).jobs.stop(row.id, new Date(services.now()))) return told('The export was stopped');
    throw ended(row, 'it has ended');
  }),
];

export const LOG_EXPORTS: readonly BoundOperation[] = [...READING, ...WRITING];
