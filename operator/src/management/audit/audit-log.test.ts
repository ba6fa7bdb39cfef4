import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { type Database, DatabaseAway } from '../database/index.ts';
import { createAuditLog } from './audit-log.ts';
import { toLogLine } from './log-line.ts';
import { withoutSecrets } from './masked-spec.ts';

const record = (request: string) => ({
  ...{ at: new Date(0), request_id: request, operation: 'configs.create', method: 'POST', path: '/v1/configs' },
  ...{ actor_type: 'api_key' as const, actor_id: 'k', actor_user: null, workspace: null, status: 200 },
  ...{ error_code: null, forced: false, outside: false, changes: [] },
  ...{ request_body: null, query_params: null, request_headers: null, client_ip: null },
});

/** Collects the rows of inserts; away while told so. */
function createCollector() {
  const written: string[] = [];
  const state = { isAway: false };
  const insert = {
    values: (rows: readonly { request_id: string }[]) => ({
      onConflict: () => ({ execute: async () => void written.push(...rows.map(({ request_id }) => request_id)) }),
    }),
  };
  const database: Database = {
    use: async (work) => {
      if (state.isAway) throw new DatabaseAway('away');
      return work({ insertInto: () => insert } as unknown as Parameters<typeof work>[0]); // the one query that is made
    },
    isOpen: () => true,
    exists: () => true,
    close: async () => undefined,
  };
  return { database, written, state };
}

test('records are written in their order, those at the end, too', async () => {
  const { database, written } = createCollector();
  const log = createAuditLog({ database, onDropped: () => undefined });
  const names = Array.from({ length: 250 }, (_, i) => `r${i}`);
  for (const name of names) log.add(record(name));
  await log.close();
  expect(written).toEqual(names);
});

test('while the database is away records wait, the oldest go, and the rest is written when it is back', async () => {
  const { database, written, state } = createCollector();
  const told: string[] = [];
  state.isAway = true;
  const onDropped = ({ request_id }: { readonly request_id: string }) => void told.push(request_id);
  const log = createAuditLog({ database, onDropped, maxRecords: 3, retryMs: 1 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) log.add(record(name));
  expect([log.dropped(), told]).toEqual([2, ['a', 'b']]);
  state.isAway = false;
  await waitFor(() => written.length === 3);
  expect(written).toEqual(['c', 'd', 'e']);
  await log.close();
});

test('the queue is bounded in bytes, too, but for one record', async () => {
  const { database, state } = createCollector();
  const told: string[] = [];
  state.isAway = true;
  const onDropped = ({ request_id }: { readonly request_id: string }) => void told.push(request_id);
  const log = createAuditLog({ database, onDropped, maxBytes: 3_000, retryMs: 1 });
  const content = { text: 'x'.repeat(1_000) };
  const changes = [{ kind: 'K', object: 'o', action: 'update' as const, before: null, after: content }];
  for (const name of ['a', 'b', 'c']) log.add({ ...record(name), changes });
  expect(told).toEqual(['a', 'b']);
  log.add({ ...record('d'), changes: [...changes, ...changes, ...changes, ...changes] });
  expect(told).toEqual(['a', 'b', 'c']);
  await log.close();
});

test('what cannot be written when the process ends is told, not lost', async () => {
  const { database, state } = createCollector();
  const told: string[] = [];
  state.isAway = true;
  const onDropped = ({ request_id }: { readonly request_id: string }) => void told.push(request_id);
  const log = createAuditLog({ database, onDropped, retryMs: 60_000 });
  for (const name of ['a', 'b']) log.add(record(name));
  await log.close();
  expect([told, log.dropped()]).toEqual([['a', 'b'], 2]);
});

test('a record that comes after the end is written, too', async () => {
  const { database, written } = createCollector();
  const log = createAuditLog({ database, onDropped: () => undefined });
  await log.close();
  log.add(record('late'));
  await waitFor(() => written.length === 1);
});

test('a line of the log has the record, and without contents what is too long', () => {
  const change = { kind: 'K', object: 'o', action: 'update' as const, before: null, after: { text: 'x' } };
  const audit = { request_id: 'r', at: '1970-01-01T00:00:00.000Z', status: 200, forced: false, outside: false };
  expect(toLogLine({ ...record('r'), changes: [change] })).toMatchObject({ audit: { ...audit, changes: [change] } });
  const long = { ...change, after: { text: 'x'.repeat(70_000) } };
  expect(toLogLine({ ...record('r'), changes: [long] })).toMatchObject({
    audit: { ...audit, changes: [{ kind: 'K', object: 'o', action: 'update', omitted: true }] },
  });
});

test('content of objects loses what could be a secret, and keeps references', () => {
  const spec = {
    sha256: 'CANARY',
    secretRef: { name: 'openai', key: 'key' },
    headers: { 'x-token': 'CANARY', plain: ['CANARY'] },
    settings: { apiKey: 'CANARY', aws_secret: 'CANARY', region: 'eu', refresh_token: 'CANARY' },
    checks: [{ parameters: { credentials: { a: { b: 'CANARY' } }, password: null } }],
    extra: { 'x-api-key': 'CANARY', customHost: 'https://user:CANARY@h.example/v1?a=b@c' },
    env: [
      { name: 'OPENAI_API_KEY', value: 'CANARY' },
      { name: 'NO_PROXY', value: 'localhost' },
    ],
  };
  const masked = withoutSecrets(spec);
  expect(JSON.stringify(masked)).not.toContain('CANARY');
  expect(masked).toMatchObject({
    secretRef: { name: 'openai', key: 'key' },
    settings: { region: 'eu' },
    extra: { customHost: 'https://********@h.example/v1?a=b@c' },
    env: [{ name: 'OPENAI_API_KEY' }, { name: 'NO_PROXY', value: 'localhost' }],
    headers: { plain: ['********'] },
    checks: [{ parameters: { password: null } }],
  });
});
