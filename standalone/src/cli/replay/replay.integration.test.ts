/** Decisions made again from the log of a standalone process, and from what it shows of a request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockFolder } from '../../folder-lock/index.ts';
import { createMockProvider, type MockProvider } from '../../mock-provider/index.ts';
import { addressOf, startGatehouse, type TempFolder, tempFolder } from '../../testing/index.ts';
import { runInTest } from '../testing.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';
const KEY = 'gwk_app_0123456789abcdef0123456789';
const SECRET = 'secret-of-the-account';
const resourcesOf = (mock: string): string => `
${API}
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
${API}
kind: VirtualKey
metadata: { name: main, namespace: team-a }
spec:
  displayName: Main
  provider: openai
  secretRef: { name: accounts, key: openai }
  customHost: ${mock}/v1
---
apiVersion: v1
kind: Secret
metadata: { name: app-key, namespace: team-a }
stringData: { key: ${KEY} }
---
${API}
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  displayName: App
  type: workspace-service
  scopes: [completions.write]
  secretRef: { name: app-key, key: key }
---
${API}
kind: GatewayConfig
metadata: { name: chain, namespace: team-a }
spec:
  displayName: Chain
  config:
    strategy: { mode: fallback }
    targets:
      - { provider: "@main", overrideParams: { model: mock-fail-503 } }
      - { provider: "@main", overrideParams: { model: mock-small } }
`;

let mock: MockProvider;
let folder: TempFolder;
let data: string;
let shown: string;

beforeAll(async () => {
  mock = await createMockProvider();
  folder = tempFolder({ 'team.yaml': resourcesOf(mock.url) });
  data = join(folder.path, '.data');
  await using child = startGatehouse(
    ['standalone', '--resources', folder.path, '--data', data, '--port', '0', '--admin-port', '0', '--logs'],
    { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_DRAIN_ACCEPT_MS: '0', GATEHOUSE_SECRET_ACCOUNTS_OPENAI: SECRET },
  );
  const url = await addressOf(child);
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      ...{ 'x-gw-api-key': KEY, 'x-gw-config': 'chain', 'x-gw-trace-id': 'trace-1' },
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  shown = await waitFor(
    async () => {
      const found = await fetch(`${url}/v1/logs/trace-1?workspace_id=team-a`, { headers });
      return found.status === 200 ? await found.text() : undefined;
    },
    { what: 'the row' },
  );
  child.kill('SIGTERM');
  await child.ended;
});
afterAll(async () => {
  folder?.[Symbol.dispose]();
  await mock?.close();
});

const replay = (what: string, ...args: readonly string[]) =>
  runInTest(['replay', what, '--resources', folder.path, '--data', data, ...args], {});

const fileOf = (name: string, content: string): string => {
  const path = join(data, name);
  writeFileSync(path, content);
  return path;
};

test('from the log: both targets, in their order, without the Secret of the account', async () => {
  const ran = await replay('trace-1');
  expect([ran.err, ran.status]).toEqual(['', 0]);
  const lines = ran.out.map((line) => line.split(/ {2,}/));
  expect(lines).toContainEqual(['config', 'chain', 'chain']);
  const first = 'config.targets[0] @main mock-fail-503';
  expect(lines).toContainEqual(['target 1', first, first]);
  expect(ran.out.join('\n')).not.toMatch(/secret-of|gwk_/);
});

test('from what is shown of it, the last attempt', async () => {
  const ran = await replay(fileOf('shown.json', shown), '-o', 'json');
  const { differs, rows, notes } = JSON.parse(ran.out.join('\n'));
  expect([ran.status, differs, rows.find(({ what }: { what: string }) => what === 'last target')]).toEqual([
    ...[0, false],
    expect.objectContaining({ verdict: 'same', now: 'config.targets[1] @main mock-small' }),
  ]);
  expect(notes.join()).toContain('last attempt alone');
});

test.for(['json', 'yaml'])('with a Snapshot that was rendered as %s', async (format) => {
  const rendered = await runInTest(['render', folder.path, '--format', format], {
    GATEHOUSE_SECRET_ACCOUNTS_OPENAI: SECRET,
  });
  const file = fileOf(`snapshot.${format}`, rendered.out.join('\n'));
  const ran = await runInTest(['replay', fileOf('one.json', shown), '--snapshot', file], {});
  expect([ran.err, ran.status]).toEqual(['', 0]);
});

test('a change is marked, and tells by the exit status', async () => {
  using changed = tempFolder({
    'team.yaml': resourcesOf(mock.url).replace('model: mock-small', 'model: mock-large'),
  });
  const ran = await runInTest(['replay', fileOf('again.json', shown), '--resources', changed.path], {});
  expect([
    ran.status,
    ran.out.filter((line) => line.endsWith('DIFFERS')).map((line) => line.split(/ {2,}/)[0]),
  ]).toEqual([1, expect.arrayContaining(['version', 'last target'])]);
});

describe('exit status 2:', () => {
  test.for([
    { rule: 'no such trace', of: () => 'no-such-trace', says: 'no trace no-such-trace' },
    { rule: 'a file that is no JSON', of: () => fileOf('a.json', 'own-secret'), says: 'is not the JSON' },
    { rule: 'a Snapshot that is none', of: () => fileOf('c.json', shown), says: 'is not a Snapshot', rendered: true },
    {
      rule: 'a file of something else',
      of: () => fileOf('b.json', '{"metrics":{"workspace_slug":"own-secret"}}'),
      says: 'metrics.operation',
    },
    {
      rule: 'a record of a client',
      of: () => fileOf('e.json', shown.replace('"source":"unified"', '"source":"log"')),
      says: 'this record did not go through the gateway',
    },
  ])('$rule', async ({ of, says, rendered = false }) => {
    const file = of();
    const ran = rendered ? await runInTest(['replay', file, '--snapshot', file], {}) : await replay(file);
    expect([ran.status, ran.out, ran.err]).toEqual([2, [], expect.stringContaining(says)]);
    expect(ran.err).not.toContain('own-secret');
  });

  test('a workspace beside a file', async () => {
    const ran = await replay(fileOf('d.json', shown), '--workspace', 'team-a');
    expect([ran.status, ran.err]).toEqual([2, expect.stringContaining('--workspace is for a TRACE')]);
  });

  test('a log in a ClickHouse that is away', async () => {
    const ran = await runInTest(['replay', 'trace-1', '--resources', folder.path], {
      GATEHOUSE_LOGS_CLICKHOUSE_URL: 'http://user:own-secret@127.0.0.1:1',
    });
    expect([ran.status, ran.err]).toEqual([2, expect.stringContaining('ECONNREFUSED')]);
    expect(ran.err).not.toContain('own-secret');
  });

  test('a log of a process that runs', async () => {
    using held = tempFolder({ 'database/PG_VERSION': '' });
    const lock = unwrap(await lockFolder({ folder: held.path }));
    const ran = await runInTest(['replay', 'trace-1', '--resources', folder.path, '--data', held.path], {});
    await lock.release();
    expect([ran.status, ran.err]).toEqual([2, expect.stringMatching(/: stop that process first$/)]);
  });

  test('no resources', async () => {
    expect(await runInTest(['replay', 'trace-1'], {})).toMatchObject({
      status: 2,
      err: expect.stringContaining('--resources'),
    });
  });
});
