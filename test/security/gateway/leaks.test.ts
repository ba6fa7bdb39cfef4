/** Credentials and bodies stay where they belong: not in logs, not in answers, not with a provider they are not for. */
import { gzipSync } from 'node:zlib';
import { digestOf } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../kit/gateway.ts';
import { type RawReply, type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { KEY, key, provider, workspace } from '../../kit/snapshot.ts';

const SECRET = 'sk-stored/credential+0123456789=';
const SECOND_KEY = 'another-key-of-the-same-gateway-0123456789';
const BODY = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';
const ACME = { 'x-gw-provider': '@acme' };

interface Scene extends AsyncDisposable {
  readonly gateway: RunningGateway;
  readonly upstream: RawUpstream;
}

/** A gateway with the stored account `@acme`, whose provider answers as the test scripts it. */
async function startScene(answer: (reply: RawReply) => void | Promise<void>, vendor = 'openai'): Promise<Scene> {
  const upstream = await startRawUpstream(answer);
  const gateway = await startGateway({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: [
      workspace(),
      key(),
      key({ name: 'second', secret: SECOND_KEY }),
      ...provider('acme', { provider: vendor, customHost: upstream.url, secret: SECRET, proxyPaths: 'All' }),
    ],
  });
  const dispose = async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  };
  return { gateway, upstream, [Symbol.asyncDispose]: dispose };
}

const json = { 'content-type': 'application/json' };
const logOf = ({ gateway }: Scene): string => JSON.stringify(gateway.logs);

describe('a credential that the provider repeats in an error', () => {
  const spellings = {
    plain: SECRET,
    url: encodeURIComponent(SECRET),
    json: SECRET.replaceAll('/', '\\/'),
    basic: Buffer.from(`user:${SECRET}`).toString('base64'),
  };

  test.for(Object.entries(spellings))('does not reach the client: %s', async ([, text]) => {
    const body = `{"error":{"message":"bad key ${text} here"}}`;
    await using scene = await startScene((reply) => reply.answer(401, body, { ...json, 'x-echo': text }));
    for (const path of [CHAT, '/v1/completions', '/v1/some/proxied/path', '/v1/models']) {
      const method = path === '/v1/models' ? 'GET' : 'POST';
      const answer = await scene.gateway.send(path, {
        method,
        headers: ACME,
        ...(method === 'GET' ? {} : { body: BODY }),
      });
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('[redacted]');
      const whole = answer.text + JSON.stringify(answer.headers);
      for (const spelling of Object.values(spellings)) expect(whole, path).not.toContain(spelling);
      expect(whole, path).not.toContain(spellings.basic.slice(8, -4));
    }
    for (const spelling of Object.values(spellings)) expect(logOf(scene)).not.toContain(spelling);
  });

  test('is found in a compressed body', async () => {
    await using scene = await startScene((reply) =>
      reply.answer(500, gzipSync(`{"error":{"message":"${SECRET}"}}`), { ...json, 'content-encoding': 'gzip' }),
    );
    for (const path of [CHAT, '/v1/proxied']) {
      const answer = await scene.gateway.send(path, { headers: ACME, body: BODY });
      expect(answer.text, path).toContain('[redacted]');
    }
  });

  test.for([
    { rule: 'relayed', vendor: 'openai', path: CHAT },
    { rule: 'relayed messages', vendor: 'anthropic', path: '/v1/messages' },
    { rule: 'proxied', vendor: 'openai', path: '/v1/proxied' },
    { rule: 'translated', vendor: 'google', path: CHAT },
  ])('is found in the error event of a stream: $rule', async ({ vendor, path }) => {
    await using scene = await startScene(async (reply) => {
      await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
      await reply.chunk(`event: error\ndata: {"type":"error","error":{"message":"bad key ${SECRET}","code":401}}\n\n`);
      await reply.chunk('');
    }, vendor);
    const answer = await scene.gateway.send(path, { headers: ACME, body: { ...BODY, max_tokens: 5, stream: true } });
    expect(answer.text).toContain('bad key [redacted]');
    expect(answer.text).not.toContain(SECRET);
  });

  test.for([
    { rule: 'that has no error member', event: `data: {"detail":"${SECRET}"}` },
    { rule: 'that is a comment', event: `: ${SECRET}` },
    { rule: 'with escapes', event: `data: {"error":"${SECRET.replace('-', '\\u002d')}"}` },
  ])('is found in an event of a stream $rule', async ({ event }) => {
    await using scene = await startScene((reply) =>
      reply.answer(200, `${event}\n\n`, { 'content-type': 'text/event-stream' }),
    );
    for (const path of [CHAT, '/v1/proxied']) {
      const answer = await scene.gateway.send(path, { headers: ACME, body: { ...BODY, stream: true } });
      expect(answer.text, path).toContain('[redacted]');
      expect(answer.text, path).not.toContain('credential+0123456789=');
    }
  });

  test.for([
    {
      rule: 'in UTF-16',
      type: 'application/json; charset=utf-16le',
      body: Buffer.from(`{"e":"${SECRET}"}`, 'utf16le'),
    },
    { rule: 'in UTF-16 that is not named', type: 'application/json', body: Buffer.from(SECRET, 'utf16le') },
    { rule: 'in UTF-7', type: 'text/plain; Charset="UTF-7"', body: Buffer.from(SECRET) },
    { rule: 'of megabytes', type: 'application/json', body: Buffer.from(`"${SECRET}${'a'.repeat(5_000_000)}"`) },
  ])('does not reach the client in an error body $rule', async ({ type, body }) => {
    await using scene = await startScene((reply) => reply.answer(500, body, { 'content-type': type }));
    for (const path of [CHAT, '/v1/proxied']) {
      const answer = await scene.gateway.send(path, { headers: ACME, body: BODY });
      expect(answer.status, path).toBe(500);
      expect(answer.json().error.message, path).toContain(`${body.length} bytes`);
      expect(answer.text.replaceAll('\u0000', ''), path).not.toContain('credential');
    }
  });

  test('leaves a good answer as it is', async () => {
    const good = `{"choices":[],"echo":"error ${SECRET}"}`;
    await using scene = await startScene((reply) => reply.answer(200, good, json));
    const answer = await scene.gateway.send('/v1/proxied', { headers: ACME, body: BODY });
    expect(answer.text).toBe(good);
  });
});

describe('an answer that cannot be read', () => {
  test.for([
    { rule: 'no JSON', body: '<html>canary-of-the-body</html>' },
    { rule: 'another JSON', body: '{"oops":"canary-of-the-body"}' },
  ])('is shown as length and hash, in logs and answers: $rule', async ({ body }) => {
    await using scene = await startScene((reply) => reply.answer(200, body, json), 'google');
    const answer = await scene.gateway.send(CHAT, { headers: ACME, body: BODY });
    expect(answer.status).toBe(502);
    expect(answer.json().error.message).toMatch(new RegExp(`\\(${body.length} bytes, SHA-256 [0-9a-f]{16}\\)`));
    expect(answer.text + logOf(scene)).not.toContain('canary');
  });
});

describe('headers of an answer', () => {
  test('that concern the site or the connection of the provider stay out', async () => {
    const ours = {
      connection: 'close, X-Internal',
      'x-internal': 'canary',
      'set-cookie': 'canary=1',
      'strict-transport-security': 'max-age=1',
      'access-control-allow-origin': 'https://canary.example',
      'x-gw-trace-id': 'canary',
      'content-security-policy': 'report-uri https://canary.example',
      'content-security-policy-report-only': 'report-uri https://canary.example',
      'www-authenticate': 'Basic realm="canary"',
      refresh: '0; url=https://canary.example',
      'x-accel-redirect': '/canary',
      'x-sendfile': '/canary',
      server: 'canary',
      via: '1.1 canary',
    };
    await using scene = await startScene((reply) =>
      reply.answer(200, '{}', { ...json, ...ours, 'x-request-id': 'kept', link: '</next>; rel="next"' }),
    );
    for (const path of [CHAT, '/v1/proxied']) {
      const { headers } = await scene.gateway.send(path, { headers: ACME, body: BODY });
      expect(headers['x-request-id']).toBe('kept');
      expect(headers['link']).toContain('next');
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(JSON.stringify(headers)).not.toContain('canary');
    }
  });
});

describe('headers of a request', () => {
  const CANARIES = {
    ...{ cookie: 'canary=1', 'x-forwarded-for': 'canary', 'metadata-flavor': 'canary', 'api-key': 'canary' },
    ...{ 'x-goog-api-key': 'canary', 'x-portkey-api-key': 'canary', 'x-auth-token': 'canary' },
  };
  const sent = ({ upstream }: Scene): string => upstream.requests.flatMap(({ lines }) => lines).join('\n');

  test('that carry credentials or the way of a request do not go upstream by themselves', async () => {
    await using scene = await startScene((reply) => reply.answer(200, '{}', json));
    await scene.gateway.send('/v1/proxied', { headers: { ...ACME, ...CANARIES, 'x-kept': '1' }, body: BODY });
    expect(sent(scene)).toContain('x-kept: 1');
    expect(sent(scene)).not.toContain('canary');
  });

  test('that are named go upstream, but credentials do not beside a stored one', async () => {
    await using scene = await startScene((reply) => reply.answer(200, '{}', json));
    const names = { 'x-gw-forward-headers': ['x-kept', 'connection', ...Object.keys(CANARIES)].join() };
    const { 'x-forwarded-for': _, ...credentials } = CANARIES;
    for (const path of [CHAT, '/v1/proxied']) {
      await scene.gateway.send(path, { headers: { ...ACME, ...names, ...credentials, 'x-kept': '1' }, body: BODY });
    }
    expect(sent(scene)).toContain('x-kept: 1');
    expect(sent(scene)).not.toContain('canary');
    const own = { 'x-gw-provider': 'openai', 'x-gw-custom-host': scene.upstream.url };
    await scene.gateway.send(CHAT, { headers: { ...own, ...names, ...CANARIES }, body: BODY });
    expect(sent(scene)).toContain('x-auth-token: canary');
    expect(sent(scene)).not.toContain('metadata-flavor');
  });

  test.for([KEY, SECOND_KEY])('that hold a gateway key stay here, whichever and wherever it is', async (gatewayKey) => {
    await using scene = await startScene((reply) => reply.answer(200, '{}', json));
    const holders = {
      ...{ authorization: `Bearer ${gatewayKey}`, 'x-api-key': gatewayKey, 'x-mine': gatewayKey },
      ...{ 'x-other': `Basic ${Buffer.from(`me:${gatewayKey}`).toString('base64')}` },
    };
    const names = { 'x-gw-forward-headers': Object.keys(holders).join() };
    const custom = { 'x-gw-custom-host': scene.upstream.url };
    for (const named of [ACME, { 'x-gw-provider': 'openai', ...custom }, { 'x-gw-provider': 'anthropic', ...custom }]) {
      for (const path of [CHAT, `/v1/proxied?a=1&key=${encodeURIComponent(gatewayKey)}`]) {
        const headers = { 'x-gw-api-key': KEY, ...named, ...names, ...holders };
        await scene.gateway.send(path, { headers, body: { ...BODY, max_tokens: 5 } });
      }
    }
    const seen = scene.upstream.requests.map(({ target, lines }) => [target, ...lines].join('\n')).join('\n');
    expect(scene.upstream.requests.length).toBeGreaterThan(4);
    expect(seen).toContain('/proxied?a=1');
    expect(decodeURIComponent(seen)).not.toContain(gatewayKey);
    expect(seen).not.toContain(Buffer.from(`me:${gatewayKey}`).toString('base64'));
  });
});

test('the key of Google is in a header of proxied calls, and never in their URL', async () => {
  await using scene = await startScene((reply) => reply.answer(200, '{}', json), 'google');
  await scene.gateway.send('/v1/v1beta/files?pageSize=1', { method: 'GET', headers: ACME });
  const [request] = scene.upstream.requests;
  expect(request?.headers.get('x-goog-api-key')).toBe(SECRET);
  expect(request?.target).toBe('/v1beta/files?pageSize=1');
});

test('no header of the gateway itself goes to a provider, even when a client names it', async () => {
  await using scene = await startScene((reply) => reply.answer(200, '{}', json));
  const [account, credential] = provider('acme', {
    proxyPaths: 'All',
    customHost: scene.upstream.url,
    secret: SECRET,
    headers: { 'X-GW-Trace-Id': 'stored', 'x-kept': '1' },
  });
  if (account === undefined || credential === undefined) throw new Error('no provider');
  await scene.gateway.load(workspace(), key(), account, credential);
  const ours = { 'x-gw-metadata': '{"a":"b"}', 'x-gw-trace-id': 't', 'x-gw-debug': 'true' };
  const headers = { ...ACME, ...ours, 'x-gw-forward-headers': Object.keys(ours).join(), via: '1.1 elsewhere' };
  for (const path of [CHAT, '/v1/proxied']) await scene.gateway.send(path, { headers, body: BODY });
  expect(scene.upstream.requests).toHaveLength(2);
  for (const request of scene.upstream.requests) {
    expect(request.headers.get('x-kept')).toBe('1');
    expect([...request.headers.keys()].filter((name) => name.startsWith('x-gw-'))).toEqual([]);
    expect(request.headers.get('via')).toMatch(/^1\.1 gatehouse-[\w-]+$/);
  }
});

test.for([
  { rule: 'beside the credential', secret: true },
  { rule: 'in the entry of the account, where older operators put them', secret: false },
])('values of custom headers $rule are sent, and shown to nobody', async ({ secret }) => {
  const value = 'canary-of-a-custom-header';
  await using scene = await startScene((reply) => reply.answer(403, `{"error":{"message":"no ${value}"}}`, json));
  const headers = { 'X-Team-Token': value };
  const entries = provider('acme', {
    customHost: scene.upstream.url,
    secret: SECRET,
    ...(secret ? {} : { headers }),
  });
  const account = entries.find(({ kind }) => kind === 'provider');
  const credential = entries.find((entry) => entry.kind === 'credential');
  if (account === undefined || credential === undefined) throw new Error('no provider');
  const body = secret ? { ...credential.body, headers } : credential.body;
  await scene.gateway.load(workspace(), key(), account, { ...credential, digest: digestOf(body), body });
  const answer = await scene.gateway.send(CHAT, { headers: ACME, body: BODY });
  expect(scene.upstream.requests[0]?.headers.get('x-team-token')).toBe(value);
  expect(answer.text).toContain('no [redacted]');
  expect(answer.text + logOf(scene)).not.toContain(value);
});
