/** Feedback on traces. docs/behaviour/request-logs.md#feedback */
import { randomUUID } from 'node:crypto';
import { withoutBrokenText, withoutGatewayKeys } from '@gatehouse/crds';
import { boundMetadata, type FeedbackRow } from '@gatehouse/crds/logs';
import { feedback } from '@gatehouse/crds/rest';
import type { Insertable } from 'kysely';
import type { Caller } from '../callers/index.ts';
import type { Database, LogTables } from '../database/index.ts';
import { logOff } from '../http/rest-error.ts';
import { type BoundOperation, type Services, serveOperation } from './family.ts';
import { homesMeant } from './find.ts';
import { absent } from './write.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function logsOf({ logDatabase }: Services): Database<LogTables> {
  if (logDatabase !== undefined) return logDatabase;
  throw logOff();
}

/** A text of at most 128 characters may end in half of a surrogate pair. */
const toJson = (metadata: Readonly<Record<string, unknown>>): string =>
  withoutBrokenText(JSON.stringify(boundMetadata(metadata, withoutGatewayKeys)));

/** The same, as names and values. */
const toTexts = (metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(boundMetadata(metadata, withoutGatewayKeys)).map(([name, value]) => [
      withoutBrokenText(name),
      withoutBrokenText(value),
    ]),
  );

function giverOf({ keyId, user, isSession }: Caller): Pick<FeedbackRow, 'api_key' | 'key_user'> {
  return { api_key: isSession ? null : keyId, key_user: user ?? null };
}

const saved = (message: string, feedback_ids: string[]) => ({ status: 'success' as const, message, feedback_ids });

export const FEEDBACK: readonly BoundOperation[] = [
  serveOperation(feedback.create, async ({ caller, workspaceId, body }, services) => {
    const logs = logsOf(services);
    const { workspace } = await services.tenancy.workspaceOf(caller, workspaceId);
    const now = new Date(services.now());
    const rows = [body].flat().map(
      ({ trace_id: given, value, weight = 1, metadata = {} }): Insertable<LogTables['feedback']> => ({
        ...{ id: randomUUID(), workspace: workspace?.slug ?? '', trace_id: withoutGatewayKeys(given), value, weight },
        ...{ metadata: toJson(metadata), ...giverOf(caller), created_at: now, updated_at: now },
      }),
    );
    await logs.use((queries) => queries.insertInto('feedback').values(rows).execute());
    return saved(
      'Feedback was saved',
      rows.map(({ id }) => id),
    );
  }),

  serveOperation(feedback.update, async (call, services) => {
    const logs = logsOf(services);
    const { value, weight, metadata } = call.body;
    const { id = '' } = call.path;
    const homes = await homesMeant(call, services);
    const workspaces = homes.flatMap(({ workspace }) => workspace?.slug ?? []);
    if (!UUID.test(id) || workspaces.length === 0) throw absent('feedback');
    const at = services.now();
    const change = {
      ...{ value, updated_at: new Date(at) },
      ...(weight === undefined ? {} : { weight }),
      ...(metadata === undefined ? {} : { metadata: toJson(metadata) }),
    };
    const { numUpdatedRows } = await logs.use((queries) =>
      queries
        .updateTable('feedback')
        .set(change)
        .where('id', '=', id)
        .where('workspace', 'in', workspaces)
        .executeTakeFirst(),
    );
    if (numUpdatedRows === 0n) {
      const further = { value, weight, at, metadata: metadata && toTexts(metadata) };
      const isChanged = await services.logs?.reader.changeFeedback?.(id, workspaces, further);
      if (isChanged !== true) throw absent('feedback');
    }
    return saved('Feedback was changed', [id.toLowerCase()]);
  }),
];
