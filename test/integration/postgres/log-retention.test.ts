/** How long the organisation keeps the request log: docs/behaviour/request-logs.md#writing. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { startGateway } from '../../kit/gateway.ts';
import { key, organisation, workspace } from '../../kit/snapshot.ts';

const DAY_MS = 86_400_000;

test('is what names of documents say, and how old records of clients may be, from the next Snapshot on', async () => {
  await using server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-retention-'));
  const own = [workspace(), key({ scopes: ['logs.write'] })];
  const gateway = await startGateway({
    env: {
      ...{ GATEHOUSE_LOGS_DATABASE_URL: await server.database(), GATEHOUSE_LOGS_RETENTION_DAYS: '7' },
      ...{ LOG_STORE: 'folder', GATEHOUSE_LOGS_DIR: folder },
    },
    entries: own,
  });
  const tell = async (days: number): Promise<number> => {
    const createdAt = Date.now() - days * DAY_MS;
    return (await gateway.send('/v1/logs', { body: { request: { url: '/' }, createdAt } })).status;
  };
  expect([await tell(6), await tell(8)]).toEqual([200, 400]);
  await gateway.load(...own, organisation({ logging: { retentionDays: 60 } }));
  expect([await tell(59), await tell(61)]).toEqual([200, 400]);
  await gateway.load(...own, organisation({ logging: { retentionDays: 2 } }));
  expect([await tell(1), await tell(3)]).toEqual([200, 400]);
  await gateway[Symbol.asyncDispose](); // writes what waits
  expect(
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(['2', '60', '7']);
  rmSync(folder, { recursive: true });
});
