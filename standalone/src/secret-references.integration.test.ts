/** Values of a secret manager in a standalone process: fetched, rotated, and kept while the manager is away. */
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { startTestProcess, tempFolder } from './testing/index.ts';

const KEY = 'gwk_app_of_tests';
const sha256 = createHash('sha256').update(KEY).digest('hex');
const API = 'apiVersion: gatehouse.dev/v1alpha1';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const filesOf = (vault: string, provider: string) => ({
  'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
  'key.yaml': `${API}\nkind: ApiKey\nmetadata: { name: app, namespace: team-a }\nspec: { type: workspace-service, sha256: ${sha256}, scopes: [completions.write] }\n`,
  'secret.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: { name: vault, namespace: team-a }\nstringData: { token: hvs.one }\n',
  'reference.yaml': `${API}\nkind: SecretReference\nmetadata: { name: openai, namespace: team-a }\nspec: { manager: Vault, path: openai, key: key, credentialsRef: { name: vault }, vault: { address: "${vault}", authMethod: Token } }\n`,
  'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${provider}/v1", secretMappings: [{ field: api_key, secretReferenceRef: { name: openai } }] }\n`,
});

test('a value is fetched, rotated with its credentials, and kept while the manager is away', async () => {
  const seen: (string | undefined)[] = [];
  await using provider = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: '1', object: 'chat.completion', choices: [] }));
  });
  await using vault = await serve((request, response) => {
    const token = String(request.headers['x-vault-token']);
    response.writeHead(token === 'hvs.broken' ? 403 : 200);
    response.end(JSON.stringify({ data: { data: { key: `sk-canary-${token}` } } }));
  });
  const files = filesOf(vault.url, provider.url);
  using folder = tempFolder(files);
  await using running = await startTestProcess(folder.path);
  const ask = async (): Promise<number> => {
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-gw-virtual-key': 'local' },
      body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await response.text();
    return response.status;
  };
  const isSent = async (value: string): Promise<boolean> => (await ask()) === 200 && seen.at(-1) === `Bearer ${value}`;
  await waitFor(() => isSent('sk-canary-hvs.one'), { what: 'the value of the manager' });

  folder.write('secret.yaml', files['secret.yaml'].replace('hvs.one', 'hvs.two'));
  await waitFor(() => isSent('sk-canary-hvs.two'), { what: 'the value that the new credentials give' });

  folder.write('secret.yaml', files['secret.yaml'].replace('hvs.one', 'hvs.broken'));
  const problems = async (): Promise<string> => (await fetch(`${running.adminUrl}/internal/status`)).text();
  await waitFor(async () => (await problems()).includes('the manager denies access'), { what: 'the problem' });
  expect(await isSent('sk-canary-hvs.two')).toBe(true);
  expect(await problems()).not.toContain('sk-canary');
  expect(await problems()).not.toContain('hvs.');
});
