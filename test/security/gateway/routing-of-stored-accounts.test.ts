/** The headers of a call never decide for a stored account where its credential goes or what it reaches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Egress, startEgress } from '../../kit/egress.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { provider } from '../../kit/snapshot.ts';

const AWS_KEYS = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-of-aws' };

const VENDORS = ['huggingface', 'anthropic', 'databricks', 'sagemaker', 'openai'] as const;
const OF_VENDOR: Readonly<Record<string, object>> = {
  databricks: { settings: { databricks_workspace: 'ours' } },
  sagemaker: { settings: { aws_region: 'eu-west-1' }, secret: AWS_KEYS },
};

let egress: Egress;
let upstream: RawUpstream;
let world: World;

beforeAll(async () => {
  egress = await startEgress();
  upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
  world = await startWorld({
    env: egress.env,
    entries: () => [
      ...provider('bedrock', { provider: 'bedrock', settings: { aws_region: 'eu-west-1' }, secret: AWS_KEYS }),
      ...provider('open-region', { provider: 'bedrock', secret: AWS_KEYS }),
      ...provider('azure', {
        provider: 'azure-openai',
        settings: { resource_name: 'ours', deployment_id: 'd', api_version: '2024-10-21' },
      }),
      ...provider('vertex', {
        provider: 'vertex-ai',
        settings: { vertex_project_id: 'ours', vertex_region: 'europe-west4' },
        secret: 'token-of-vertex',
      }),
      ...VENDORS.flatMap((id) =>
        provider(`raw-${id}`, { provider: id, customHost: upstream.url, proxyPaths: 'All', ...OF_VENDOR[id] }),
      ),
      ...provider('raw', { customHost: `${upstream.url}/v1`, settings: { openai_organization: 'org-ours' } }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await egress[Symbol.asyncDispose]();
});

const inline = (document: object) => ({ 'x-gw-config': JSON.stringify(document) });
const chat = (model: string, headers: Record<string, string>) =>
  world.send('/v1/chat/completions', { headers, body: { model, messages: [{ role: 'user', content: 'hi' }] } });

/** The hosts that calls went to while the work was done. */
async function hostsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = egress.hosts.length;
  await work();
  return [...new Set(egress.hosts.slice(before))];
}

describe('an AWS account', () => {
  test.for(['sts', 'iam', 's3', 'secretsmanager'])('is not signed for %s by a header of the call', async (service) => {
    const hosts = await hostsOf(() =>
      world.send('/v1/model/m/invoke', {
        method: 'POST',
        headers: { 'x-gw-provider': '@bedrock', 'x-gw-aws-service': service, 'x-gw-cloud-c-service': service },
        body: {},
      }),
    );
    expect(hosts).toEqual(['bedrock-runtime.eu-west-1.amazonaws.com:443']);
  });

  test('stays in its region despite a header of the call', async () => {
    const headers = { 'x-gw-provider': '@bedrock', 'x-gw-aws-region': 'us-west-2', 'x-gw-cloud-c-region': 'us-west-2' };
    expect(await hostsOf(() => chat('amazon.nova-lite-v1:0', headers))).toEqual([
      'bedrock-runtime.eu-west-1.amazonaws.com:443',
    ]);
  });

  test.for([
    { aws_region: 'us-west-2' },
    { aws_service: 'sts' },
    { aws_role_arn: 'arn:aws:iam::1:role/other' },
    { aws_auth_type: 'serviceRole' },
    { aws_external_id: 'theirs' },
    { aws_s3_bucket: 'theirs' },
    { aws_job_role_arn: 'theirs' },
    { aws_server_side_encryption_kms_key_id: 'theirs' },
    { aws_session_token: 'theirs' },
  ])('takes no %o from an inline config although its settings leave it open', async (setting) => {
    let answer: Awaited<ReturnType<typeof chat>> | undefined;
    const hosts = await hostsOf(async () => {
      answer = await chat('amazon.nova-lite-v1:0', inline({ provider: '@open-region', ...setting }));
    });
    expect(answer?.json()).toMatchObject({
      error: { code: 'account_setting_refused', param: Object.keys(setting)[0] },
    });
    expect(hosts).toEqual([]);
  });

  test('of the caller is signed for the services of a closed list only', async () => {
    const own = {
      'x-gw-provider': 'bedrock',
      'x-gw-aws-access-key-id': 'AKIDOWN',
      'x-gw-aws-secret-access-key': 'own-secret',
    };
    const ask = (service: string) => world.send('/v1/bucket/key', { headers: { ...own, 'x-gw-aws-service': service } });
    expect(await hostsOf(() => ask('s3'))).toEqual(['s3.us-east-1.amazonaws.com:443']);
    for (const service of ['sts', 'iam', 'secretsmanager', 'execute-api']) {
      expect((await ask(service)).json(), service).toMatchObject({ error: { param: 'aws_service' } });
    }
  });
});

describe('an Azure account', () => {
  test('stays at its resource when a path names another', async () => {
    const path = '/v1/proxy/theirs.openai.azure.com/openai/deployments/d/chat/completions';
    const hosts = await hostsOf(() => world.send(path, { headers: { 'x-gw-provider': '@azure' }, body: {} }));
    expect(hosts).not.toContain('theirs.openai.azure.com:443');
  });

  test('takes no storage from an inline config', async () => {
    const config = inline({ provider: '@azure', azure_storage_account: 'theirs' });
    expect((await chat('gpt', config)).json()).toMatchObject({
      error: { code: 'account_setting_refused', param: 'azure_storage_account' },
    });
  });

  test('takes no deployments from an inline config', async () => {
    const config = inline({ provider: '@azure', deployments: [{ deployment_id: 'theirs', is_default: true }] });
    expect((await chat('gpt', config)).json()).toMatchObject({
      error: { code: 'account_setting_refused', param: 'deployments' },
    });
  });
});

describe('a Google account', () => {
  test('stays in its project and region when a model names an endpoint elsewhere', async () => {
    for (const place of ['projects/ours/locations/us-east1', 'projects/theirs/locations/europe-west4']) {
      const answer = await chat(`${place}/endpoints/9`, { 'x-gw-provider': '@vertex' });
      expect(answer.json(), place).toMatchObject({ error: { code: 'account_setting_refused', param: 'model' } });
    }
    const own = 'projects/ours/locations/europe-west4/endpoints/9';
    expect(await hostsOf(() => chat(own, { 'x-gw-provider': '@vertex' }))).toEqual([
      'europe-west4-aiplatform.googleapis.com:443',
    ]);
  });
});

describe('a header that selects a project or tenant', () => {
  const theirs = { 'openai-organization': 'org-theirs', 'x-http-method-override': 'DELETE' };

  test('does not replace the one of the account on a proxied call', async () => {
    await world.send('/v1/files', { headers: { 'x-gw-provider': '@raw', ...theirs } });
    const sent = upstream.requests.at(-1)?.headers;
    expect(sent?.get('openai-organization')).toBe('org-ours');
    expect(sent?.has('x-http-method-override')).toBe(false);
  });

  test('does not replace it when it is forwarded', async () => {
    await chat('gpt', {
      'x-gw-provider': '@raw',
      'x-gw-forward-headers': 'openai-organization, x-http-method-override',
      ...theirs,
    });
    const sent = upstream.requests.at(-1)?.headers;
    expect(sent?.get('openai-organization')).toBe('org-ours');
    expect(sent?.has('x-http-method-override')).toBe(false);
  });
});

describe('a header that would choose what a stored account reaches or who pays stays here', () => {
  const NAMES = [
    ...['x-hf-bill-to', 'x_hf_bill_to', 'anthropic-organization-id', 'x-databricks-org-id', 'openai-organization'],
    ...['openai-project', 'x-goog-user-project', 'helicone-target-url', 'x-rewrite-url', 'x_rewrite_url'],
    ...['x-original-url', 'x-envoy-original-path', 'x-forwarded-host', 'x-amz-target', 'x-http-method-override'],
    ...['x-goog-authenticated-user-email', 'impersonate-user', 'x-tenant-id'],
  ];
  const chosen = Object.fromEntries(NAMES.map((name) => [name, 'canary']));

  test.for(VENDORS)('of %s, proxied or named to be forwarded', async (vendor) => {
    const before = upstream.requests.length;
    const account = { 'x-gw-provider': `@raw-${vendor}`, 'x-kept': 'kept' };
    const named = { 'x-gw-forward-headers': ['x-kept', ...NAMES].join() };
    for (const more of [{}, named]) {
      await world.send('/v1/proxied', { method: 'POST', headers: { ...account, ...chosen, ...more }, body: {} });
    }
    const seen = upstream.requests.slice(before).map(({ lines }) => lines.join('\n'));
    expect(seen).toHaveLength(2);
    for (const lines of seen) {
      expect(lines).toContain('x-kept: kept');
      expect(lines).not.toContain('canary');
    }
  });

  test('and goes with a credential of the caller', async () => {
    const before = upstream.requests.length;
    const own = { 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url, 'x-gw-forward-headers': NAMES.join() };
    await world.send('/v1/proxied', { method: 'POST', headers: { ...own, ...chosen }, body: {} });
    const [request] = upstream.requests.slice(before);
    expect(request?.headers.get('x-hf-bill-to')).toBe('canary');
    expect(request?.headers.get('x-rewrite-url')).toBe('canary');
  });
});
