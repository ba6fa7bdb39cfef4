/** Guardrails of batches, fine-tuning jobs and proxied calls, over sockets: docs/behaviour/guardrails.md#proxied-calls. */
import { describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { guardrail, organisation } from '../kit/snapshot.ts';
import { createTokenIssuer } from '../kit/token-issuer.ts';

const SHARED = { workspace: null };
const start = (...checks: Parameters<typeof guardrail>[1]) =>
  startWorld({ entries: () => [organisation({ inputGuardrails: ['all'] }), guardrail('all', checks, SHARED)] });

const named = {
  id: 'default.requiredMetadataKeys',
  parameters: { metadataKeys: ['team'], operator: 'all', failOnError: true },
};
const types = (blockedTypes: readonly string[]) => ({
  id: 'default.allowedRequestTypes',
  parameters: { blockedTypes: [...blockedTypes] },
});

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

const via = { 'x-gw-provider': '@openai' };
const call = (world: World, { path, method = 'POST', headers, body = { input_file_id: 'file-1' } }: Call) =>
  world.send(path, { method, headers: { ...via, ...headers }, ...(method === 'POST' ? { body } : {}) });

describe('a guardrail that applies by default', () => {
  test.for(['/v1/batches', '/v1/proxy/batches', '/v1/fine_tuning/jobs'])('denies POST %s', async (path) => {
    await using world = await start(named);
    const denied = await call(world, { path });
    expect(denied.status).toBe(446);
    expect(denied.json()).toMatchObject({
      error: { type: 'hooks_failed', param: null, code: null },
      hook_results: { before_request_hooks: [{ id: 'all', verdict: false, deny: true }], after_request_hooks: [] },
    });
    expect(world.mock.requests).toEqual([]);
    await call(world, { path, headers: { 'x-gw-metadata': '{"team":"blue"}' } });
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toMatchObject({ input_file_id: 'file-1' });
  });

  test('denies a fine-tuning job by its model', async () => {
    await using world = await start({ id: 'default.modelWhitelist', parameters: { models: ['small'] } });
    const path = '/v1/fine_tuning/jobs';
    expect((await call(world, { path, body: { model: 'large' } })).status).toBe(446);
    await call(world, { path, body: { model: 'small' } });
    expect(world.mock.requests).toHaveLength(1);
  });

  test('finds no text in a batch, which is an error of the check that passes', async () => {
    await using world = await start({ id: 'default.regexMatch', parameters: { rule: 'x', not: true } });
    await call(world, { path: '/v1/batches' });
    expect(world.mock.requests).toHaveLength(1);
  });

  test('adds what a token says to a batch whose body is not JSON', async () => {
    const issuer = await createTokenIssuer();
    const parameters = {
      ...{ jwks: { keys: [issuer.jwk] }, headerKey: 'x-user-token' },
      ...{ extractClaims: ['sub'], claimPrefix: 'x-user-' },
    };
    await using world = await start({ id: 'default.jwt', parameters });
    const iat = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/octet-stream',
      'x-user-token': await issuer.sign({ iat, exp: iat + 600 }),
    };
    expect((await call(world, { path: '/v1/proxy/batches', body: 'bytes' })).status).toBe(446);
    await call(world, { path: '/v1/proxy/batches', body: 'bytes', headers });
    expect(lastRequest(world.mock)).toMatchObject({ headers: { 'x-user-sub': 'ada' }, body: Buffer.from('bytes') });
  });

  test.for([
    { call: { path: '/v1/files', body: 'no JSON' }, format: {} },
    { call: { path: '/v1/messages/batches' }, format: { type: 'error' } },
    { call: { path: '/v1/files/file_1', method: 'DELETE' }, format: {} },
  ])('denies $call.path by its type, in the format of its path', async ({ call: asked, format }) => {
    await using world = await start(types(['proxy']));
    const headers = {
      'content-type': typeof asked.body === 'string' ? 'application/octet-stream' : 'application/json',
    };
    const denied = await call(world, { ...asked, headers });
    expect([denied.status, denied.json()]).toMatchObject([446, { ...format, error: { type: 'hooks_failed' } }]);
    expect(world.mock.requests).toEqual([]);
  });

  test('looks at proxied calls by their type alone, and at none that reads', async () => {
    await using strict = await start(named);
    await call(strict, { path: '/v1/vector_stores' });
    expect(strict.mock.requests).toHaveLength(1);
    await using typed = await start(types(['proxy', 'createBatch']));
    await call(typed, { path: '/v1/batches', method: 'GET' });
    expect(typed.mock.requests).toHaveLength(1);
  });

  test('marks an answer that it lets pass with 246 and leaves its bytes', async () => {
    await using world = await startWorld({
      entries: () => [
        organisation({ inputGuardrails: ['all'] }),
        guardrail('all', [types(['proxy'])], { ...SHARED, deny: false }),
      ],
    });
    const answer = await call(world, { path: '/v1/echo' });
    expect(answer.status).toBe(246);
    expect(answer.json()).not.toHaveProperty('hook_results');
  });
});
