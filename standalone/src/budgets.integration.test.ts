/** What was spent outlives the process: the command line as people run it, killed without warning. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createMockProvider } from './mock-provider/index.ts';
import { addressOf, runGatehouse, startGatehouse, tempFolder } from './testing/index.ts';

const KEY = 'gwk_app_of_tests';
const LIMIT = 200;
const API = 'apiVersion: gatehouse.dev/v1alpha1';

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
  usageLimits: [{ name: main, type: tokens, creditLimit: "${LIMIT}" }]
`,
});

async function ask(url: string): Promise<{ readonly status: number; readonly tokens: number }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-gw-provider': '@local' },
    body: JSON.stringify({ model: 'm', max_tokens: 20, messages: [{ role: 'user', content: 'one two three' }] }),
  });
  const body = (await response.json()) as { usage?: { total_tokens: number } };
  return { status: response.status, tokens: body.usage?.total_tokens ?? 0 };
}

describe.for(['1', '2'])('gatehouse standalone with a budget and --workers %s', (workers) => {
  test('remembers after SIGKILL what was spent up to a second before', async () => {
    await using mock = await createMockProvider();
    using folder = tempFolder(filesFor(mock.url));
    const data = `${folder.path}/.data`;
    const ports = ['--port', '0', '--admin-port', '0'];
    const args = ['standalone', '--resources', folder.path, '--data', data, '--workers', workers, ...ports];
    let spent = 0;
    {
      await using first = startGatehouse(args);
      const url = await addressOf(first);
      await waitFor(
        async () => {
          const { status, tokens } = await ask(url);
          spent += tokens;
          return status === 412 && spent >= LIMIT; // before, it is the estimate of a call that has not ended
        },
        { what: 'the budget is used up' },
      );
      const file = join(data, 'budgets.jsonl');
      await waitFor(() => existsSync(file) && totalIn(file) === spent, { what: 'the total in the file' });
      first.kill('SIGKILL');
      await first.ended;
    }
    await using second = startGatehouse(args);
    const url = await addressOf(second);
    for (let i = 0; i < 4; i += 1) expect((await ask(url)).status).toBe(412);
  });
});

test('gatehouse usage shows what all workers have spent of a budget', async () => {
  await using mock = await createMockProvider();
  using folder = tempFolder(filesFor(mock.url));
  const ports = ['--port', '0', '--admin-port', '0'];
  const data = ['--data', `${folder.path}/.data`];
  await using gateway = startGatehouse(['standalone', '--resources', folder.path, ...data, '--workers', '2', ...ports]);
  const url = await addressOf(gateway);
  const admin = await waitFor(() => /status are on (http:\/\/\S+)\s/.exec(gateway.err)?.[1], {
    what: 'the admin address',
  });
  let spent = 0;
  for (let i = 0; i < 4; i += 1) spent += (await ask(url)).tokens;
  expect(spent).toBeGreaterThan(0);
  const used = async (): Promise<number> => {
    const { out } = await runGatehouse(['usage', '--url', admin, '--json']);
    return Number((JSON.parse(out) as { used: string }[])[0]?.used);
  };
  // A worker knows what the others told the second before.
  await waitFor(async () => (await used()) === spent, { what: 'the use of all workers' });
});

/** The last line that is whole has the total: there is one budget. */
const totalIn = (file: string): number => {
  const line = readFileSync(file, 'utf8').split('\n').at(-2);
  return line === undefined ? 0 : JSON.parse(line).used;
};
