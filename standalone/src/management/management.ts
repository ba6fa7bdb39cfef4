/** Serves the management API on a socket that only this user can open; gateways pass requests on to it. */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '@gatehouse/crds/snapshot';
import type { BudgetUsage, Logger, ManagementAddress } from '@gatehouse/gateway';
import {
  type CallReport,
  createLogExports,
  createManagementServer,
  createMcpTest,
  createRevisions,
  createTenancy,
  exportSourceOf,
  OPERATIONS,
  type Revisions,
  toAuditRecord,
  whyNotKept,
} from '@gatehouse/operator/management';
import { createFolderStore, uuidOf } from '../folder-store/index.ts';
import { ORGANISATION_NAMESPACE, type ResourceFolder } from '../resource-folder/index.ts';
import { openAudit } from './audit.ts';
import { followVersions } from './follow-versions.ts';
import { createKeyDirectory } from './keys.ts';
import { withLiveUsage } from './live-usage.ts';
import { keepsRows, type PeopleDatabase } from './people-database.ts';
import { policyUsageOf } from './policy-usage.ts';

export interface ManagementOptions {
  /** The path of the folder. */
  readonly root: string;
  readonly folder: ResourceFolder;
  /** What is served, with the admin key. */
  snapshot(): Snapshot;
  readonly logger: Logger;
  /** What budgets have used, as the gateways of the process know it. */
  budgets(): Promise<readonly BudgetUsage[]>;
  /** Of people; closed with the management API. */
  readonly people?: PeopleDatabase | undefined;
}

export interface Management {
  readonly address: ManagementAddress;
  /** The resources have changed. */
  update(): Promise<void>;
  close(): Promise<void>;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

const randomName = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** Rejects with the error of the system when the socket cannot be opened. */
export async function startManagement({
  root,
  folder,
  snapshot,
  budgets,
  logger,
  people,
}: ManagementOptions): Promise<Management> {
  const store = withLiveUsage(createFolderStore({ root, folder, now: Date.now }), {
    usage: budgets,
    organisationNamespace: ORGANISATION_NAMESPACE,
    now: Date.now,
  });
  const tenancy = createTenancy({
    store,
    organisationId: uuidOf('Organisation/default'),
    organisationNamespace: ORGANISATION_NAMESPACE,
  });
  const database = people?.database;
  const logs = people?.logs;
  const logDatabase = logs?.database;
  const exports =
    people &&
    logs &&
    createLogExports({
      ...{ database: logs.database, source: exportSourceOf(logs) },
      ...{ now: Date.now, isEnabled: keepsRows(people), onFailure: warnOfExports(logger) },
    });
  const audit = openAudit(people, logger);
  const revisions = people && openRevisions(people, logger);
  const closing = new AbortController();
  const app = createManagementServer({
    operations: OPERATIONS,
    services: {
      ...{ store, tenancy, database, revisions, usage: policyUsageOf(budgets), randomName, now: Date.now },
      ...{ signIn: people?.signIn, onSyncFailed: warnOfSync(logger) },
      ...{ logDatabase, logs, exports },
      mcpTest: createMcpTest({ reach: 'machine', ownNamespaces: [], signal: closing.signal }),
    },
    keys: createKeyDirectory(snapshot),
    onCall: (report) => {
      logCall(logger, report);
      const record = toAuditRecord(report, Date.now());
      if (record !== undefined) audit.add(record);
    },
  });
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-')); // with mode 0700
  const close = async (): Promise<void> => {
    closing.abort();
    await app.close();
    await Promise.all([audit.close(), revisions?.close(), exports?.close()]);
    await logs?.close();
    await database?.close();
    await rm(home, { recursive: true, force: true });
  };
  const socketPath = join(home, 'management');
  try {
    await app.listen({ path: socketPath });
  } catch (error) {
    await close();
    throw error;
  }
  const update = revisions && followVersions(store, revisions, keepsRows(people));
  await update?.();
  return { address: { socketPath }, update: async () => update?.(), close };
}

const warnOfSync =
  (logger: Logger) =>
  (error: unknown): void =>
    logger.warn({ err: error }, 'Memberships of groups could not be written, they are tried again');

const warnOfExports =
  (logger: Logger) =>
  (error: unknown): void =>
    logger.warn({ err: error }, 'Export of logs failed');

/** Versions are kept where people are: the database of a data folder is not started for them. */
const openRevisions = (people: PeopleDatabase, logger: Logger): Revisions =>
  createRevisions({
    database: people.database,
    isEnabled: keepsRows(people),
    now: Date.now,
    onDropped: (count, refused) => logger.warn({ count }, `Versions were not kept: ${whyNotKept(refused)}`),
  });

/** Writes say who made them; reads are not logged. */
function logCall(logger: Logger, { operation, caller, status, requestId, changes, failure }: CallReport): void {
  const changed = changes.map(({ kind, object, action }) => `${action} ${kind} ${object}`);
  const line = { operation: operation.id, key: caller?.keyId, status, requestId, changed };
  if (failure !== undefined) logger.error({ ...line, err: failure }, 'Management operation failed');
  else if (operation.method !== 'GET') logger.info(line, 'Management operation was answered');
}
