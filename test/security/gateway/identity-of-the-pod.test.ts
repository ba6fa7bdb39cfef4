/** The cloud identity of the gateway's pod is the organisation's: no call, no inline config and no tenant gets it unasked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Egress, startEgress } from '../../kit/egress.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, provider, workspace } from '../../kit/snapshot.ts';

const TOKEN = 'token-of-the-pod';
const AWS = { aws_auth_type: 'serviceRole', aws_region: 'eu-west-1' };
const ROLE = { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/r' };
const AZURE = { resource_name: 'ours', deployment_id: 'd', api_version: 'v1', azure_auth_mode: 'managed' };
const GCP = { vertex_project_id: 'p', vertex_region: 'r', vertex_auth_type: 'workload' };
const MANAGEMENT = 'https://management.azure.com/.default';

let egress: Egress;
let tokens: RawUpstream;
let upstream: RawUpstream;
let world: World;

beforeAll(async () => {
  egress = await startEgress();
  tokens = await startRawUpstream((reply) =>
    reply.answer(200, JSON.stringify({ access_token: TOKEN, expires_in: 3600 }), {
      'content-type': 'application/json',
    }),
  );
  upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
  world = await startWorld({
    env: {
      ...egress.env,
      NODE_ENV: 'production',
      AWS_ACCESS_KEY_ID: 'AKIDPOD',
      AWS_SECRET_ACCESS_KEY: 'secret-key-of-the-pod',
      AWS_ENDPOINT_URL_STS: tokens.url,
      IDENTITY_ENDPOINT: `${tokens.url}/token`,
      AZURE_TENANT_ID: 'tenant',
      AZURE_CLIENT_ID: 'client',
      AZURE_FEDERATED_TOKEN_FILE: 'assertion',
      AZURE_AUTHORITY_HOST: tokens.url,
      GCP_AUTH_MODE: 'workload',
    },
    entries: () => [
      workspace('team-b'),
      ...provider('aws', { provider: 'bedrock', settings: AWS, secret: {}, customHost: upstream.url }),
      ...provider('role', { provider: 'bedrock', settings: ROLE, secret: {}, customHost: upstream.url }),
      ...provider('azure', {
        provider: 'azure-openai',
        settings: { ...AZURE, azure_entra_scope: MANAGEMENT },
        secret: {},
        customHost: upstream.url,
      }),
      ...provider('workload', {
        provider: 'azure-ai',
        settings: { azure_auth_mode: 'workload', azure_foundry_url: upstream.url },
        secret: {},
      }),
      ...provider('gcp', { provider: 'vertex-ai', settings: GCP, secret: {}, customHost: upstream.url }),
      ...provider('lent', { provider: 'bedrock', settings: AWS, secret: {}, ownIdentity: true }),
      ...provider('ours', {
        provider: 'azure-openai',
        settings: AZURE,
        secret: {},
        customHost: upstream.url,
        workspace: null,
        grants: ['*'],
      }),
      config('literal', { provider: 'bedrock', ...AWS, custom_host: upstream.url }),
      config('literal-azure', { provider: 'azure-openai', ...AZURE, custom_host: upstream.url }),
      config('moved', { provider: '@lent', custom_host: upstream.url }),
      config('scoped', { provider: '@ours', azure_entra_scope: MANAGEMENT }),
      config('storing', { provider: '@ours', azure_storage_account: 'theirs' }),
      config('external', { provider: '@lent', aws_external_id: 'of-somebody-else' }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  for (const server of [upstream, tokens, egress]) await server[Symbol.asyncDispose]();
});

const ask = (headers: Record<string, string>) =>
  world.send('/v1/chat/completions', {
    headers,
    body: { model: 'amazon.nova-lite-v1:0', messages: [{ role: 'user', content: 'hi' }] },
  });
const asHeaders = (fields: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const suffix = key === 'resource_name' || key === 'deployment_id' || key === 'api_version' ? `azure_${key}` : key;
      return [`x-gw-${suffix.replaceAll('_', '-')}`, value];
    }),
  );
const inline = (document: object) => ({ 'x-gw-config': JSON.stringify(document) });

/** How many calls left the gateway while the work was done, for tokens or for answers. */
async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const count = () => egress.hosts.length + tokens.requests.length + upstream.requests.length;
  const before = count();
  await work();
  return count() - before;
}

describe('the identity of the pod is not used', () => {
  test.for<{ rule: string; headers: () => Record<string, string> }>([
    { rule: 'by a header, for AWS', headers: () => ({ 'x-gw-provider': 'bedrock', ...asHeaders(AWS) }) },
    { rule: 'by a header, for a role', headers: () => ({ 'x-gw-provider': 'bedrock', ...asHeaders(ROLE) }) },
    { rule: 'by a header, for Azure', headers: () => ({ 'x-gw-provider': 'azure-openai', ...asHeaders(AZURE) }) },
    { rule: 'by a header, for Google', headers: () => ({ 'x-gw-provider': 'vertex-ai', ...asHeaders(GCP) }) },
    { rule: 'by an inline config, for AWS', headers: () => inline({ provider: 'bedrock', ...AWS }) },
    { rule: 'by an inline config, for Azure', headers: () => inline({ provider: 'azure-openai', ...AZURE }) },
    { rule: 'by an inline config, for Google', headers: () => inline({ provider: 'vertex-ai', ...GCP }) },
    { rule: "by a workspace's account, for AWS", headers: () => ({ 'x-gw-provider': '@aws' }) },
    { rule: "by a workspace's account, for a role", headers: () => ({ 'x-gw-provider': '@role' }) },
    { rule: "by a workspace's account, for Azure", headers: () => ({ 'x-gw-provider': '@azure' }) },
    { rule: "by a workspace's account, for an Azure workload", headers: () => ({ 'x-gw-provider': '@workload' }) },
    { rule: "by a workspace's account, for Google", headers: () => ({ 'x-gw-provider': '@gcp' }) },
    { rule: "by a target of a workspace's config, for AWS", headers: () => ({ 'x-gw-config': 'literal' }) },
    { rule: "by a target of a workspace's config, for Azure", headers: () => ({ 'x-gw-config': 'literal-azure' }) },
  ])('$rule', async ({ headers }) => {
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const calls = await callsDuring(async () => {
      answer = await ask(headers());
    });
    expect(answer?.json()).toMatchObject({ error: { type: 'credential_error' } });
    expect(calls).toBe(0);
  });
});

describe('what is lent to a workspace stays the organisation’s', () => {
  test.for<{ rule: string; slug: string; code: string }>([
    { rule: 'a config of the workspace does not move it', slug: 'moved', code: 'custom_host_refused' },
    { rule: 'nor widen its scope', slug: 'scoped', code: 'account_setting_refused' },
    { rule: 'nor name a storage', slug: 'storing', code: 'account_setting_refused' },
    { rule: 'nor name an external id', slug: 'external', code: 'account_setting_refused' },
  ])('$rule', async ({ slug, code }) => {
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const calls = await callsDuring(async () => {
      answer = await ask({ 'x-gw-config': slug });
    });
    expect(answer?.json()).toMatchObject({ error: { code } });
    expect(calls).toBe(0);
  });
});

describe('the identity of the pod is used', () => {
  test("by the organisation's own account", async () => {
    await ask({ 'x-gw-provider': '@ours' });
    expect(upstream.requests.at(-1)?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
  });

  test('by an account of a workspace that the organisation lends it to', async () => {
    const before = egress.hosts.length;
    await ask({ 'x-gw-provider': '@lent' });
    expect(egress.hosts.slice(before)).toContain('bedrock-runtime.eu-west-1.amazonaws.com:443');
  });
});
