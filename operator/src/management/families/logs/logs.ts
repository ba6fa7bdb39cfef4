/** Rows of the request log with their documents: docs/behaviour/request-logs.md */
import { brokenTextAt } from '@gatehouse/crds';
import type { LogRow } from '@gatehouse/crds/logs';
import { logs } from '@gatehouse/crds/rest';
import type { Caller } from '../../callers/index.ts';
import { RestError } from '../../http/rest-error.ts';
import { type FoundContent, findContent, isOwnOnly, type LogSource, visibleRows } from '../../logs/index.ts';
import { type BoundOperation, type Services, serveOperation } from '../family.ts';
import { shownKeys } from '../key-ids.ts';
import { totalBehind, windowOf } from '../pages.ts';
import { absent } from '../write.ts';
import { filterOf, logsOf } from './filter.ts';
import { type Shown, toHooks, toMetrics, toRecord } from './view.ts';

/** Scopes that show what was said by others. */
const SHOWS_CONTENT: readonly string[] = ['logs.view', 'logs.read'];

export const LOGS: readonly BoundOperation[] = [
  serveOperation(logs.list, async ({ caller, query }, services) => {
    const { reader } = logsOf(services);
    const filter = await filterOf({ caller, query }, services);
    const window = windowOf(query);
    const rows = await reader.list(filter, window);
    const shown = await shownIn(rows, caller, services);
    return {
      object: 'list' as const,
      total: await totalBehind(
        rows.length,
        window,
        async () => (await reader.sum(filter, { by: [] })).sums[0]?.attempts ?? 0,
      ),
      data: rows.map((row) => toMetrics(row, shown)),
    };
  }),
  serveOperation(logs.get, async ({ caller, path, query }, services) => {
    const source = logsOf(services);
    const { path_format: format, created_at: at, type, workspace_id: named } = query;
    if (format === 'v2' && at === undefined) {
      throw new RestError('INVALID', { message: 'query created_at: path_format v2 needs it', param: 'created_at' });
    }
    const id = path['logId'] ?? '';
    const visible = await visibleRows(caller, services, { named, ownKeyOnly: isOwnOnly(caller) });
    const around = at === undefined ? undefined : Date.parse(at);
    const row = brokenTextAt(id) === undefined ? await source.reader.find(id, visible, around) : undefined;
    if (row === undefined) throw absent('log');
    const { content, note } = await contentFor(caller, row, source);
    const shown = await shownIn([row], caller, services);
    return { ...(type === 'hooks' ? toHooks(row, content, shown) : toRecord(row, content, shown)), note };
  }),
];

async function shownIn(rows: readonly LogRow[], caller: Caller, services: Services): Promise<Shown> {
  const { store, tenancy } = services;
  const [organisation, shownKey] = await Promise.all([
    store.get({ kind: 'Organisation', namespace: undefined, name: 'default' }),
    shownKeys(
      rows.map((row) => row.api_key),
      { caller, services },
    ),
  ]);
  return { organisation: { id: tenancy.organisationId, name: organisation?.spec.displayName }, shownKey };
}

async function contentFor({ keyId, scopes }: Caller, row: LogRow, source: LogSource): Promise<FoundContent> {
  const isShown = row.api_key === keyId || SHOWS_CONTENT.some((scope) => scopes.has(scope));
  return isShown ? findContent(row, source) : {};
}
