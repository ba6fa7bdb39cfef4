/** A batch outlives the process that runs it: the command line as people run it, killed without warning. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { chatRow, type Managed, managedBy, send, waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createMockProvider } from './mock-provider/index.ts';
import { addressOf, startGatehouse, tempFolder } from './testing/index.ts';

const KEY = 'gwk_app_of_tests';
const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ROWS = 120;
/** Rows of one batch at the same time. */
const AT_ONCE = 4;

const filesFor = (mockUrl: string) => ({
  'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
  'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mockUrl}/v1" }\n`,
  'key.yaml': `${API}
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  type: workspace-service
  sha256: ${createHash('sha256').update(KEY).digest('hex')}
  scopes: [completions.write]
`,
});

const managedAt = (url: string): Managed =>
  managedBy({
    send: (path, options = {}) =>
      send(url + path, { ...options, headers: { ...options.headers, 'x-gw-api-key': KEY } }),
  });

describe.for(['1', '2'])('gatehouse standalone with a batch and --workers %s', (workers) => {
  test('goes on after SIGKILL, twice: no row is lost, none is twice in the results', async () => {
    await using mock = await createMockProvider();
    using folder = tempFolder(filesFor(mock.url));
    const ports = ['--port', '0', '--admin-port', '0', '--workers', workers];
    const args = ['standalone', '--resources', folder.path, '--data', join(folder.path, '.data'), ...ports];
    const env = { GATEHOUSE_BATCH_ROWS_AT_ONCE: String(AT_ONCE), GATEHOUSE_BATCH_AT_PROVIDERS: 'false' };
    const text = Array.from({ length: ROWS }, (_, i) => chatRow(`row-${i}`, `number ${i}`, 'mock-delay-60')).join('');
    let id = '';
    for (const kills of [1, 2]) {
      const before = mock.requests.length;
      await using child = startGatehouse(args, env);
      const managed = managedAt(await addressOf(child));
      if (id === '') {
        const input = await managed.upload(text);
        const options = { 'x-gw-provider': '@local' };
        id = (await managed.create({ input_file_id: input.id, gw_options: options })).id;
      }
      await waitFor(() => mock.requests.length > before + 20, { what: `some rows before kill ${kills}` });
      child.kill('SIGKILL');
      await child.ended;
    }
    await using last = startGatehouse(args, env);
    const managed = managedAt(await addressOf(last));
    const batch = await managed.ended(id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: ROWS, completed: ROWS, failed: 0 } });
    const lines = await managed.lines(batch.output_file_id);
    const want = Array.from({ length: ROWS }, (_, i) => `row-${i}`);
    expect(lines.map((line) => line['custom_id']).toSorted()).toEqual(want.toSorted());
    expect(lines.filter((line) => JSON.stringify(line).includes('"status_code":200'))).toHaveLength(ROWS);
    // What was under way at a kill is asked for again.
    expect(mock.requests.length).toBeLessThanOrEqual(ROWS + 2 * AT_ONCE);
  });
});
