/** Exports run in leases, over PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExportField, ExportRow } from '@gatehouse/crds/logs';
import { type PostgresServer, startPostgres, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createDatabase,
  createLogExports,
  type Database,
  type ExportSource,
  type LogExports,
  logTablesIn,
  postgresDialect,
  readFile,
} from '../../../operator/src/management/index.ts';
import { exportSource, idOf } from './export-source.ts';

const PROCESS = fileURLToPath(new URL('./export-process.ts', import.meta.url));
const EVERYTHING = { workspaces: undefined, creator: undefined };

let server: PostgresServer;
let url: string;
let database: Database;
const opened: LogExports[] = [];
const failures: unknown[] = [];
const children: ChildProcess[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.database();
  database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await database.close();
  expect(failures.splice(0)).toEqual([]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

type Limits = NonNullable<Parameters<typeof createLogExports>[0]['limits']>;

function open(source: ExportSource, limits: Limits = {}): LogExports {
  const exports = createLogExports({
    ...{ database: logTablesIn(database), source, now: Date.now, isEnabled: () => true },
    onFailure: (error) => failures.push(error),
    limits: { lookMs: 20, ...limits },
  });
  opened.push(exports);
  return exports;
}

interface Draft {
  readonly workspace?: string;
  readonly fields?: readonly ExportField[];
  readonly most?: number;
}

/** A draft. */
async function draft({ jobs }: LogExports, { workspace = 'team-a', fields = ['id'], most = 1e6 }: Draft = {}) {
  const id = randomUUID();
  const now = new Date();
  const row = { id, workspace, description: '', filters: {}, fields, api_key: 'k', created_by: 'k', link_key: 'ab' };
  expect(await jobs.create({ ...row, created_at: now, updated_at: now, max_records: most }, 100)).toBe(true);
  return id;
}

async function begin(exports: LogExports, given: Draft = {}): Promise<string> {
  const id = await draft(exports, given);
  const progress = { filter: {}, fields: given.fields ?? (['id'] as const), before: null };
  expect(await exports.jobs.start(id, progress, new Date())).toBe(true);
  exports.look();
  return id;
}

/** Of 600 rows, which has a lease and gets no row before the gate opens. */
async function beginHeld() {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
  const exports = open(
    exportSource(600, () => gate),
    { batch: 200 },
  );
  const id = await begin(exports);
  await waitFor(async () => (await found(exports, id)).lease_number === 1, { what: 'the lease' });
  return { exports, id, openGate };
}

const endLease = (id: string) =>
  logTablesIn(database).use((queries) =>
    queries
      .updateTable('exports')
      .set({ lease_until: new Date(0) })
      .where('id', '=', id)
      .execute(),
  );

const found = async ({ jobs }: LogExports, id: string): Promise<ExportRow> => {
  const row = await jobs.find(id, EVERYTHING);
  if (row === undefined) throw new Error(`there is no export ${id}`);
  return row;
};
const ended = (exports: LogExports, id: string): Promise<ExportRow> =>
  waitFor(
    async () => {
      const row = await found(exports, id);
      return row.status === 'in_progress' ? undefined : row;
    },
    { what: 'the end of the export' },
  );

async function linesOf({ jobs }: LogExports, row: ExportRow): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const chunk of readFile(row, jobs)) text += chunk.toString();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
const idsIn = async (exports: LogExports, row: ExportRow) => (await linesOf(exports, row)).map(({ id }) => id);
/** All rows, the newest first. */
const idsOf = (rows: number) => Array.from({ length: rows }, (_, i) => idOf(rows - 1 - i));

/** A process that runs exports. */
function startProcess(rows: number, { waitMs = 0, heapMb = 256 } = {}) {
  const args = [`--max-old-space-size=${heapMb}`, '--conditions=@gatehouse/source', PROCESS];
  const child = spawn(process.execPath, [...args, url, String(rows), String(waitMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

describe('an export', () => {
  test('has every row once, in order, with the fields that were asked for', async () => {
    const exports = open(exportSource(2_500), { batch: 200, partBytes: 4_000 });
    const fields = ['id', 'created_at', 'cost', 'is_success', 'request'] as const;
    const row = await ended(exports, await begin(exports, { fields }));
    expect(row).toMatchObject({ status: 'success', total_records: 2_500, problem: null });
    expect(row.parts).toBeGreaterThan(10);
    const lines = await linesOf(exports, row);
    expect(lines.map(({ id }) => id)).toEqual(idsOf(2_500));
    expect(lines[0]).toEqual({
      ...{ id: idOf(2_499), created_at: '2027-01-01T00:00:00.833Z', cost: 2_499, is_success: true },
      request: { url: '/v1', method: 'POST', body: { about: idOf(2_499) } },
    });
  });

  test('has no more rows than it may', async () => {
    const exports = open(exportSource(2_500), { batch: 200 });
    const row = await ended(exports, await begin(exports, { most: 1_001 }));
    expect([row.total_records, await idsIn(exports, row)]).toEqual([1_001, idsOf(2_500).slice(0, 1_001)]);
  });

  test('goes on in another process when the first one is killed, and has no row twice', async () => {
    const exports = open(exportSource(3_000), { batch: 200, leaseMs: 60_000, lookMs: 3_600_000 });
    const id = await draft(exports);
    await exports.jobs.start(id, { filter: {}, fields: ['id'], before: null }, new Date());
    const child = startProcess(3_000, { waitMs: 500 });
    await waitFor(async () => (await found(exports, id)).parts >= 2, { what: 'two parts' });
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    const left = await found(exports, id);
    expect([left.status, left.total_records < 3_000]).toEqual(['in_progress', true]);
    // As time would do it.
    await endLease(id);
    exports.look();
    const row = await ended(exports, id);
    expect(row).toMatchObject({ status: 'success', total_records: 3_000, lease_number: 2 });
    expect(await idsIn(exports, row)).toEqual(idsOf(3_000));
  });

  test('that somebody else has taken up gets nothing more from the one before', async () => {
    const { exports: slow, id, openGate } = await beginHeld();
    await endLease(id);
    const fast = open(exportSource(600), { batch: 200 });
    fast.look();
    const row = await ended(fast, id);
    openGate();
    await slow.close();
    expect(await found(fast, id)).toEqual(row);
    expect(await idsIn(fast, row)).toEqual(idsOf(600));
  });

  test('that is stopped stays so, and is not started again', async () => {
    const { exports, id, openGate } = await beginHeld();
    expect(await exports.jobs.stop(id, new Date())).toBe(true);
    openGate();
    await exports.close();
    expect(await found(exports, id)).toMatchObject({ status: 'stopped', parts: 0, total_records: 0 });
    expect(await exports.jobs.stop(id, new Date())).toBe(false);
    expect(await exports.jobs.start(id, { filter: {}, fields: ['id'], before: null }, new Date())).toBe(false);
  });

  test('that is larger than the workspace may have fails, and begins anew when it is started again', async () => {
    const exports = open(exportSource(600), { batch: 100, maxBytes: 1_500 });
    const id = await begin(exports);
    const row = await ended(exports, id);
    expect(row).toMatchObject({ status: 'failed', problem: expect.stringContaining('MiB') });
    await exports.close();
    const roomy = open(exportSource(600), { batch: 100 });
    await roomy.jobs.start(id, { filter: {}, fields: ['id'], before: null }, new Date());
    roomy.look();
    const again = await ended(roomy, id);
    expect([again.status, await idsIn(roomy, again)]).toEqual(['success', idsOf(600)]);
  });

  test('waits no longer than a turn for those of others', async () => {
    const exports = open(exportSource(2_000), { batch: 100, turnMs: 0, lookMs: 3_600_000 });
    const [first, second] = [await draft(exports), await draft(exports, { workspace: 'team-b' })];
    for (const id of [first, second]) {
      await exports.jobs.start(id, { filter: {}, fields: ['id'], before: null }, new Date());
    }
    exports.look();
    await ended(exports, first);
    expect((await found(exports, second)).lease_number).toBeGreaterThan(10);
    expect((await ended(exports, second)).total_records).toBe(2_000);
  });

  test('whose logs cannot be read fails, and says where to look', async () => {
    const exports = open({ ...exportSource(1), rows: () => Promise.reject(new Error('boom')) });
    const row = await ended(exports, await begin(exports));
    expect(row).toMatchObject({ status: 'failed', problem: expect.stringMatching(/^Its logs cannot be read/) });
    expect(failures.splice(0)).toMatchObject([{ message: 'boom' }]);
  });

  test('larger than the memory of its process is written and read', async () => {
    const exports = open(exportSource(0), { lookMs: 3_600_000 });
    const id = await draft(exports, { fields: ['id'] });
    await exports.jobs.start(id, { filter: {}, fields: ['id', 'request'], before: null }, new Date());
    const child = startProcess(30_000, { heapMb: 96 }); // its lines have 65 MB, and what it has loaded needs most of the rest
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(JSON.parse(printed)).toEqual({ status: 'success', lines: 30_000 });
  });
});

describe('exports', () => {
  test('of a workspace are as many as they may be, however many are made at once', async () => {
    const { jobs } = open(exportSource(0));
    const now = new Date();
    const row = () => ({
      ...{ id: randomUUID(), workspace: 'team-a', description: '', filters: {}, fields: [], api_key: null },
      ...{ created_by: 'k', created_at: now, updated_at: now, max_records: 1, link_key: 'ab' },
    });
    const made = await Promise.all(Array.from({ length: 8 }, () => jobs.create(row(), 3)));
    expect(made.filter(Boolean)).toHaveLength(3);
    expect(await jobs.create({ ...row(), workspace: 'team-b' }, 3)).toBe(true);
  });

  test('that are older than they are kept go with their files, and running ones stay', async () => {
    const exports = open(exportSource(300), { batch: 100 });
    const [old, recent] = [await begin(exports), await begin(exports)];
    await Promise.all([old, recent].map((id) => ended(exports, id)));
    await logTablesIn(database).use((queries) =>
      queries
        .updateTable('exports')
        .set({ updated_at: new Date(Date.now() - 8 * 86_400_000) })
        .where('id', '=', old)
        .execute(),
    );
    await waitFor(async () => (await exports.jobs.find(old, EVERYTHING)) === undefined, {
      what: 'the end of the old one',
    });
    expect(await exports.jobs.part(old, 0)).toBeUndefined();
    expect((await found(exports, recent)).status).toBe('success');
  });
});
