/** Secrets of a real HashiCorp Vault: each way to log in, both versions of its key-value engine, and what Vault refuses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { beforeAll, expect, test } from 'vitest';
import { createSecretManagers } from '../../../operator/src/secret-managers/index.ts';
import type { ManagedReading, SecretFetch } from '../../../operator/src/translate/index.ts';
import { ensurePrograms, sharedControlPlane, startVault, type Vault } from '../../cluster/index.ts';

const AUDIENCE = 'https://vault.example.com';
const POLICY =
  'path "secret/data/team-a/*" { capabilities = ["read"] }\npath "old/team-a/*" { capabilities = ["read"] }';

const server = { vault: undefined as Vault | undefined };
const vaultOf = (): Vault => {
  if (server.vault === undefined) throw new Error('Vault did not start');
  return server.vault;
};

beforeAll(async () => {
  await ensurePrograms(['vault']);
  const vault = await startVault();
  server.vault = vault;
  await vault.call('POST', 'sys/policies/acl/team-a', { policy: POLICY });
  await vault.call('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } });
  await vault.call('POST', 'sys/mounts/old', { type: 'kv', options: { version: '1' } });
  const isWritten = (path: string, body: object): Promise<boolean> =>
    vault.call('POST', path, body).then(
      () => true,
      () => false,
    );
  await waitFor(() => isWritten('secret/data/team-a/openai', { data: { key: 'sk-2' } }), {
    what: 'the upgrade of a new key-value engine',
  });
  await vault.call('POST', 'secret/data/team-b/openai', { data: { key: 'sk-b' } });
  await vault.call('POST', 'old/team-a/openai', { key: 'sk-1' });
  return () => vault[Symbol.asyncDispose]();
}, 1_800_000);

type Spec = NonNullable<SecretFetch['spec']['vault']>;

interface Read {
  readonly vault: Partial<Spec>;
  readonly path?: string;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly vaultTokenFile?: string;
}

/** What the first fetch finds. */
async function read({
  vault,
  path = 'team-a/openai',
  credentials = {},
  vaultTokenFile,
}: Read): Promise<ManagedReading> {
  const address = { address: vaultOf().address, mount: 'secret', engine: 'V2', authMethod: 'Token' } as const;
  const fetch: SecretFetch = {
    ...{ key: 'team-a/openai', share: 'team-a', target: 'one', credentials, reach: 'machine', refreshSeconds: 300 },
    spec: { manager: 'Vault', path, vault: { ...address, ...vault } },
  };
  const managers = createSecretManagers({
    ...{ variables: {}, ownNamespaces: [], vaultTokenFile },
    log: { warn: () => undefined },
  });
  managers.update([fetch]);
  const end = new AbortController();
  const running = managers.run(end.signal);
  try {
    return await waitFor(() => managers.get(fetch.key), { what: 'a value or a problem' });
  } finally {
    end.abort();
    await running;
  }
}

const secret = (key: string) => ({ target: 'one', value: { kind: 'members', members: { key } }, problem: undefined });

async function tokenOf(policies: readonly string[]): Promise<string> {
  const made = await vaultOf().call('POST', 'auth/token/create', { policies, no_default_policy: true });
  return (made as { auth: { client_token: string } }).auth.client_token; // as Vault documents it
}

test('a token reads version 2 and version 1', async () => {
  const credentials = { token: await tokenOf(['team-a']) };
  expect(await read({ vault: {}, credentials })).toEqual(secret('sk-2'));
  expect(await read({ vault: { mount: 'old', engine: 'V1' }, credentials })).toEqual(secret('sk-1'));
});

test.for([
  ['a path that the policy does not name', { path: 'team-b/openai' }, 'Denied'],
  ['a secret that is not there', { path: 'team-a/none' }, 'NotFound'],
  ['an unknown token', { credentials: { token: 'hvs.unknown' } }, 'Denied'],
] as const)('says what is wrong: %s', async ([, given, problem]) => {
  const credentials = { token: await tokenOf(['team-a']) };
  expect(await read({ vault: {}, credentials, ...given })).toEqual({ target: 'one', value: undefined, problem });
});

test('an AppRole logs in, and its token is revoked after the read', async () => {
  const vault = vaultOf();
  await vault.call('POST', 'sys/auth/approle', { type: 'approle' });
  await vault.call('POST', 'auth/approle/role/gatehouse', { token_policies: ['team-a'] });
  const role = (await vault.call('GET', 'auth/approle/role/gatehouse/role-id')) as { data: { role_id: string } };
  const made = await vault.call('POST', 'auth/approle/role/gatehouse/secret-id', {});
  const { secret_id } = (made as { data: { secret_id: string } }).data; // as Vault documents it
  const accessors = async () => {
    const listed = await vault.call('GET', 'auth/token/accessors?list=true');
    return (listed as { data: { keys: string[] } }).data.keys.toSorted();
  };
  const before = await accessors();
  const credentials = { role_id: role.data.role_id, secret_id };
  expect(await read({ vault: { authMethod: 'AppRole' }, credentials })).toEqual(secret('sk-2'));
  expect(await accessors()).toEqual(before);
  const wrong = { ...credentials, secret_id: 'wrong' };
  expect(await read({ vault: { authMethod: 'AppRole' }, credentials: wrong })).toMatchObject({ problem: 'Denied' });
});

test("the operator's ServiceAccount logs in with a token that the API server vouches for", async () => {
  await using cluster = sharedControlPlane();
  const namespace = await cluster.createNamespace();
  const vault = vaultOf();
  await vault.call('POST', 'sys/auth/kubernetes', { type: 'kubernetes' });
  await vault.call('POST', 'auth/kubernetes/config', {
    ...{ kubernetes_host: cluster.url, kubernetes_ca_cert: cluster.caPem, token_reviewer_jwt: cluster.adminToken },
    disable_local_ca_jwt: true,
  });
  await vault.call('POST', 'auth/kubernetes/role/gatehouse', {
    ...{ bound_service_account_names: ['operator'], bound_service_account_namespaces: [namespace] },
    ...{ audience: AUDIENCE, token_policies: ['team-a'] },
  });
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-vault-'));
  try {
    const readAs = async (name: string, audience: string) => {
      const vaultTokenFile = join(folder, 'token');
      await writeFile(vaultTokenFile, await cluster.serviceAccountToken(namespace, name, { audiences: [audience] }));
      return read({ vault: { authMethod: 'Kubernetes', role: 'gatehouse' }, vaultTokenFile });
    };
    expect(await readAs('operator', AUDIENCE)).toEqual(secret('sk-2'));
    expect(await readAs('another', AUDIENCE)).toMatchObject({ problem: 'Denied' });
    expect(await readAs('operator', 'https://other.example.com')).toMatchObject({ problem: 'Denied' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
