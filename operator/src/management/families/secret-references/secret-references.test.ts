import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['secret_references']);
});
afterAll(() => management.close());

const NAMESPACE = 'gatehouse-system';
const call: TestManagement['call'] = (...args) => management.call(...args);
const VAULT = { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token: 'canary-token' };

const post = (body: object) =>
  call('organisation', 'POST', '/secret-references', {
    ...{
      name: 'OpenAI',
      manager_type: 'hashicorp_vault',
      auth_config: VAULT,
      secret_path: 'secret/data/team-a/openai',
    },
    ...body,
  });
const make = async (body: object = {}): Promise<string> => {
  const answer = await post(body);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { object: 'secret-reference' } });
  return String(answer.body['slug']);
};
const get = async (slug: string) => (await call('organisation', 'GET', `/secret-references/${slug}`)).body;
const put = (slug: string, body: object) => call('organisation', 'PUT', `/secret-references/${slug}`, body);
const specOf = async (name: string) =>
  (await management.store.get({ kind: 'SecretReference', namespace: NAMESPACE, name }))?.spec;

test.for([
  { member: 'vault_addr', config: { ...VAULT, vault_addr: 'ftp://vault.example.com' } },
  { member: 'vault_namespace', config: { ...VAULT, vault_namespace: '/a//' } },
])('a member of auth_config has its own name in errors: $member', async ({ member, config }) => {
  const param = `auth_config.${member}`;
  expect(await post({ auth_config: config })).toMatchObject({ status: 400, body: { error: { param } } });
});

describe('a secret reference', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const slug = await make({ slug: 'first', secret_key: 'key', tags: { owner: 'platform' }, description: 'Why' });
    const shown = await get(slug);
    expect(shown).toMatchObject({
      ...{ object: 'secret-reference', slug, name: 'OpenAI', description: 'Why', status: 'ACTIVE' },
      ...{ manager_type: 'hashicorp_vault', secret_path: 'secret/data/team-a/openai', secret_key: 'key' },
      ...{ allow_all_workspaces: true, allowed_workspaces: [], tags: { owner: 'platform' } },
      auth_config: {
        ...{ vault_auth_type: 'token', vault_addr: 'https://vault.example.com', masked_vault_token: '********' },
      },
    });
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(await specOf(slug)).toMatchObject({
      ...{ manager: 'Vault', path: 'team-a/openai', credentialsRef: { name: expect.stringMatching(/^first-/) } },
      vault: { address: 'https://vault.example.com', mount: 'secret', engine: 'V2', authMethod: 'Token' },
    });
    const listed = (query: string) => call('organisation', 'GET', `/secret-references?${query}`);
    expect((await listed('search=openai&tags={"owner":"platform"}')).body).toMatchObject({
      total: 1,
      data: [{ slug }],
    });
    expect((await listed('manager_type=aws_sm')).body).toMatchObject({ total: 0 });
    expect((await listed('tags=no')).status).toBe(400);

    const change = { name: 'Other', secret_key: null, secret_path: 'kv/openai', manager_type: 'ignored' };
    expect(await put(slug, change)).toEqual({ status: 200, body: {} });
    expect(await get(slug)).toMatchObject({ name: 'Other', secret_key: null, secret_path: 'kv/openai' });
    expect(await specOf(slug)).toMatchObject({ path: 'openai', vault: { mount: 'kv', engine: 'V1' } });

    expect((await call('organisation', 'DELETE', `/secret-references/${String(shown['id'])}`)).status).toBe(200);
    expect((await call('organisation', 'GET', `/secret-references/${slug}`)).status).toBe(404);
  });

  test.each([
    [
      'aws_sm',
      {
        aws_auth_type: 'accessKey',
        aws_access_key_id: 'AK',
        aws_secret_access_key: 'canary',
        aws_region: 'eu-central-1',
      },
      { aws: { region: 'eu-central-1', authMethod: 'AccessKey' } },
    ],
    [
      'aws_sm',
      { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::123456789012:role/a', aws_region: 'eu-central-1' },
      { aws: { authMethod: 'OwnIdentity', roleArn: 'arn:aws:iam::123456789012:role/a' } },
    ],
    [
      'azure_kv',
      { azure_auth_mode: 'default', azure_vault_url: 'https://abc.vault.azure.net' },
      { azure: { authMethod: 'OwnIdentity' } },
    ],
    [
      'hashicorp_vault',
      { vault_auth_type: 'kubernetes', vault_addr: 'https://vault.example.com', vault_role: 'gatehouse' },
      { vault: { authMethod: 'Kubernetes', role: 'gatehouse' } },
    ],
  ])('of %s with %j', async (...[manager, auth, spec]) => {
    const path = manager === 'azure_kv' ? 'openai' : 'secret/data/openai';
    const slug = await make({ manager_type: manager, auth_config: auth, secret_path: path });
    expect(await specOf(slug)).toMatchObject(spec);
    const shown = await get(slug);
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(shown).toMatchObject({ secret_path: path });
    expect((await put(slug, { auth_config: shown['auth_config'] as object })).status).toBe(200);
    expect(await put(slug, { description: 'x' })).toEqual({ status: 200, body: {} });
    expect(await specOf(slug)).toMatchObject(spec);
  });

  test('keeps its credentials for another path, and needs them anew for another server', async () => {
    const slug = await make();
    const before = await specOf(slug);
    expect((await put(slug, { auth_config: { vault_token: 'canary-2' } })).status).toBe(200);
    expect(await specOf(slug)).toMatchObject({ credentialsRef: before?.credentialsRef });
    const elsewhere = { vault_addr: 'https://attacker.example' };
    const refused = await put(slug, { auth_config: elsewhere });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('vault_token');
    expect((await put(slug, { auth_config: { ...elsewhere, vault_token: '********' } })).status).toBe(400);
    expect((await put(slug, { auth_config: { ...elsewhere, vault_token: 'canary-3' } })).status).toBe(200);
    const moved = await specOf(slug);
    expect(moved?.vault?.address).toBe('https://attacker.example');
    expect(moved?.credentialsRef).not.toEqual(before?.credentialsRef);
  });

  test('allows all workspaces, some, or none', async () => {
    const slug = await make({ allowed_workspaces: ['team-a'] });
    expect(await get(slug)).toMatchObject({ allow_all_workspaces: false, allowed_workspaces: ['team-a'] });
    expect((await put(slug, { allow_all_workspaces: true })).status).toBe(200);
    expect(await get(slug)).toMatchObject({ allow_all_workspaces: true, allowed_workspaces: [] });
    expect((await put(slug, { allowed_workspaces: ['team-b'] })).status).toBe(200);
    expect(await get(slug)).toMatchObject({ allow_all_workspaces: false, allowed_workspaces: ['team-b'] });
    expect((await put(slug, { allowed_workspaces: [] })).status).toBe(400);
    expect((await put(slug, { allow_all_workspaces: true, allowed_workspaces: ['team-a'] })).status).toBe(400);
    expect(await put(slug, { allowed_workspaces: ['team-a', 'nothing'] })).toMatchObject({
      status: 404,
      body: { errorCode: 'AB08', error: { param: 'allowed_workspaces[1]' } },
    });
  });

  test.each([
    ['a way to log in without its members', { auth_config: { vault_auth_type: 'token' } }],
    ['no credentials', { auth_config: { ...VAULT, vault_token: undefined } }],
    ['a path without a mount', { secret_path: 'openai' }],
    ['a path out of the mount', { secret_path: 'secret/data/../openai' }],
    ['another manager', { manager_type: 'nothing' }],
    ['an unknown member', { auth_config: { ...VAULT, vault_password: 'x' } }],
  ])('is refused with %s', async (...[, body]) => {
    const answer = await post(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  test('of a workspace is none of the organisation', async () => {
    const place = { kind: 'SecretReference', namespace: 'team-a', name: 'own' } as const;
    const made = await management.store.create(
      place,
      { spec: { manager: 'Kubernetes', path: 'openai' } },
      { force: false },
    );
    expect(made.ok).toBe(true);
    expect((await call('organisation', 'GET', '/secret-references/own')).status).toBe(404);
  });

  test('is for keys of the organisation', async () => {
    const slug = await make();
    expect((await call('a', 'GET', '/secret-references')).status).toBe(403);
    expect((await call('a', 'GET', `/secret-references/${slug}`)).status).toBe(403);
    expect(
      (
        await call('a', 'POST', '/secret-references', {
          name: 'x',
          manager_type: 'hashicorp_vault',
          auth_config: VAULT,
          secret_path: 'a/b',
        })
      ).status,
    ).toBe(403);
    expect((await call('a', 'DELETE', `/secret-references/${slug}`)).status).toBe(403);
    expect((await call('b', 'PUT', `/secret-references/${slug}`, { name: 'x' })).status).toBe(403);
    expect((await call(undefined, 'GET', '/secret-references')).status).toBe(401);
  });
});
