/** Proxied calls with a stored credential reach the data plane of the provider; administrative paths are the owner's to open. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Egress, startEgress } from '../../kit/egress.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, provider } from '../../kit/snapshot.ts';

const AWS_KEYS = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-of-aws' };

let egress: Egress;
let upstream: RawUpstream;
let world: World;

beforeAll(async () => {
  egress = await startEgress();
  upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
  const customHost = `${upstream.url}/v1`;
  world = await startWorld({
    env: { ...egress.env, NODE_ENV: 'production' },
    entries: () => [
      ...provider('bedrock', { provider: 'bedrock', settings: { aws_region: 'eu-west-1' }, secret: AWS_KEYS }),
      ...provider('buckets', { provider: 'bedrock', settings: { aws_service: 's3' }, secret: AWS_KEYS }),
      ...provider('open-bedrock', { provider: 'bedrock', secret: AWS_KEYS, proxyPaths: 'All' }),
      ...provider('plain', { customHost }),
      ...provider('open', { customHost, proxyPaths: 'All' }),
      ...provider('claude', { provider: 'anthropic', customHost }),
      ...provider('azure', {
        provider: 'azure-openai',
        customHost,
        settings: { resource_name: 'ours', deployment_id: 'ours', api_version: '2024-10-21' },
      }),
      ...provider('vertex', {
        provider: 'vertex-ai',
        customHost,
        settings: { vertex_project_id: 'ours', vertex_region: 'europe-west4' },
        secret: 'token-of-vertex',
      }),
      ...provider('gemini', { provider: 'google', customHost: upstream.url }),
      config('literal', { provider: 'openai', api_key: 'sk-stored', custom_host: customHost }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  for (const server of [upstream, egress]) await server[Symbol.asyncDispose]();
});

type Case = readonly [slug: string, method: string, path: string];
const sent = () => upstream.requests.length + egress.hosts.length;
const ask = ([slug, method, path]: Case, headers: Record<string, string> = { 'x-gw-provider': `@${slug}` }) =>
  world.send(path, { method, headers, ...(method === 'GET' ? {} : { body: {} }) });

describe('a stored credential does not reach', () => {
  test.for<Case>([
    ['bedrock', 'GET', '/v1/proxy/?Action=GetSessionToken&Version=2011-06-15'],
    ['bedrock', 'PUT', '/v1/logging/modelinvocations'],
    ['bedrock', 'GET', '/v1/proxy/logging/modelinvocations'],
    ['bedrock', 'POST', '/v1/model-invocation-job'],
    ['bedrock', 'POST', '/v1/async-invoke'],
    ['bedrock', 'POST', '/v1/model-customization-jobs'],
    ['bedrock', 'DELETE', '/v1/guardrails/g'],
    ['buckets', 'GET', '/v1/bucket/key'],
    ['plain', 'GET', '/v1/organization/users'],
    ['plain', 'POST', '/v1/organization/admin_api_keys'],
    ['plain', 'GET', '/v1/organization/costs'],
    ['plain', 'DELETE', '/v1/models/ft:gpt'],
    ['plain', 'POST', '/v1/fine_tuning/checkpoints/c/permissions'],
    ['plain', 'GET', '/v1/files/..;/organization/users'],
    ['claude', 'GET', '/v1/organizations/users'],
    ['azure', 'POST', '/v1/deployments/theirs/chat/completions'],
    ['azure', 'PUT', '/v1/deployments/ours'],
    [
      'vertex',
      'POST',
      '/v1/proxy/v1/projects/theirs/locations/europe-west4/publishers/google/models/m:generateContent',
    ],
    ['vertex', 'POST', '/v1/proxy/v1/projects/ours/locations/us-east1/publishers/google/models/m:generateContent'],
    ['vertex', 'POST', '/v1/proxy/v1/projects/ours/locations/europe-west4/customJobs'],
    ['gemini', 'POST', '/v1/proxy/v1beta/tunedModels/m/permissions'],
  ])('for @%s: %s %s', async (given) => {
    const before = sent();
    const answer = await ask(given);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(sent()).toBe(before);
  });

  test('what a target of a saved config is not there for', async () => {
    const before = sent();
    const answer = await ask(['', 'GET', '/v1/organization/users'], { 'x-gw-config': 'literal' });
    expect(answer.status).toBe(403);
    expect(answer.json()).toMatchObject({ error: { code: 'path_not_allowed' } });
    expect(answer.text).toContain('GET /organization/users');
    expect(answer.text).toContain('proxyPaths');
    expect(sent()).toBe(before);
  });
});

describe('a stored credential reaches', () => {
  test.for<Case>([
    ['bedrock', 'POST', '/v1/model/amazon.nova-lite-v1%3A0/invoke'],
    ['bedrock', 'GET', '/v1/foundation-models?byProvider=amazon'],
    ['bedrock', 'POST', '/v1/knowledgebases/k/retrieve'],
    ['plain', 'POST', '/v1/images/generations'],
    ['plain', 'GET', '/v1/files?purpose=batch'],
    ['plain', 'POST', '/v1/batches/b/cancel'],
    ['plain', 'GET', '/v1/assistants'],
    ['plain', 'POST', '/v1/threads/t/runs'],
    ['plain', 'POST', '/v1/vector_stores/v/search'],
    ['plain', 'GET', '/v1/fine_tuning/jobs/j/checkpoints'],
    ['plain', 'POST', '/v1/proxy/rerank'],
    ['claude', 'POST', '/v1/messages/batches'],
    ['azure', 'POST', '/v1/deployments/ours/images/generations'],
    ['vertex', 'POST', '/v1/proxy/v1/projects/ours/locations/europe-west4/publishers/google/models/m:countTokens'],
    ['gemini', 'POST', '/v1/proxy/v1beta/models/m:batchGenerateContent'],
  ])('for @%s: %s %s', async (given) => {
    const before = sent();
    await ask(given);
    expect(sent()).toBeGreaterThan(before);
  });

  test.for<Case>([
    ['open', 'GET', '/v1/organization/users'],
    ['open-bedrock', 'PUT', '/v1/logging/modelinvocations'],
  ])('everything where its owner says so: @%s %s %s', async (given) => {
    const before = sent();
    await ask(given);
    expect(sent()).toBeGreaterThan(before);
  });
});

test('a credential of the caller reaches every path', async () => {
  const before = sent();
  await ask(['', 'GET', '/v1/organization/users'], { 'x-gw-provider': 'openai', authorization: 'Bearer sk-own' });
  expect(sent()).toBeGreaterThan(before);
});
