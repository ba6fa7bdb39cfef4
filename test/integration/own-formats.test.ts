/** Providers with a format of their own, as their servers see the requests of a gateway. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { eventsOf } from '../kit/http.ts';
import { type RawReply, type RawRequest, type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open-sesame' },
});

const json = (reply: RawReply, body: object) =>
  reply.answer(200, JSON.stringify(body), { 'content-type': 'application/json' });

const ANSWERS: Readonly<Record<string, (reply: RawReply) => Promise<void>>> = {
  '/@cf/meta/m': (reply) => json(reply, { success: true, result: { response: 'Hello' } }),
  '/@cf/baai/e': (reply) => json(reply, { success: true, result: { data: [[0.5]] } }),
  '/models/v2/a/b': async (reply) => {
    const bytes = Buffer.from('grüße');
    await reply.head(200, { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' });
    for (const byte of bytes) await reply.chunk(Buffer.from([byte]));
    await reply.chunk('');
  },
  '/generate': (reply) => json(reply, { model_name: 'ensemble', text_output: 'upon a time' }),
  '/20231130/actions/chat': (reply) =>
    json(reply, {
      modelId: 'meta.llama',
      chatResponse: { choices: [{ message: { content: [{ type: 'TEXT', text: 'Hello' }] }, finishReason: 'stop' }] },
    }),
};

let upstream: RawUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startRawUpstream((reply) => ANSWERS[reply.request.target]?.(reply) ?? reply.answer(404, '{}'));
  const at = { customHost: upstream.url };
  gateway = await startGateway({
    entries: [
      workspace(),
      key(),
      provider('flare', { ...at, provider: 'workers-ai' }),
      provider('bytes', { ...at, provider: 'bytez' }),
      provider('server', { ...at, provider: 'triton', secret: {} }),
      provider('cloud', {
        ...at,
        provider: 'oracle',
        settings: {
          oracle_compartment_id: 'ocid1.compartment',
          oracle_tenancy: 'ocid1.tenancy',
          oracle_user: 'ocid1.user',
          oracle_fingerprint: '20:3b',
        },
        secret: { oracle_private_key: privateKey, oracle_key_passphrase: 'open-sesame' },
      }),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const messages = [{ role: 'user', content: 'grüße' }];

async function ask(slug: string, path: string, body: object) {
  const answer = await gateway.send(path, { headers: { 'x-gw-provider': `@${slug}` }, body });
  const request = upstream.requests.at(-1);
  if (request === undefined) throw new Error(`the upstream was not called: ${answer.text}`);
  return { answer, request };
}

/** Checks the signature over what arrived, not over what was meant to be sent. */
async function verifies({ method, target, headers }: RawRequest): Promise<boolean> {
  const member = (name: string): string =>
    new RegExp(`${name}="([^"]+)"`).exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const lines = member('headers')
    .split(' ')
    .map((name) => `${name}: ${name === '(request-target)' ? `${method.toLowerCase()} ${target}` : headers.get(name)}`);
  const verify = createVerify('RSA-SHA256').update(lines.join('\n'));
  return verify.verify(publicKey, Buffer.from(member('signature'), 'base64'));
}

describe('a call', () => {
  test('for a model whose name begins with a namespace is made below its path', async () => {
    const { answer, request } = await ask('flare', '/v1/chat/completions', { model: '@cf/meta/m', messages });
    expect(answer.json()).toMatchObject({ provider: 'workers-ai', choices: [{ message: { content: 'Hello' } }] });
    expect(request.headers.get('authorization')).toBe('Bearer sk-flare');
    expect(JSON.parse(String(await request.body))).toEqual({ messages });
  });

  test('embeds with the account in front of the model', async () => {
    const { answer } = await ask('flare', '/v1/embeddings', { model: '@flare/@cf/baai/e', input: 'a' });
    expect(answer.json()).toMatchObject({ object: 'list', model: '@cf/baai/e', data: [{ embedding: [0.5] }] });
  });

  test('is streamed from text without events', async () => {
    const { answer } = await ask('bytes', '/v1/chat/completions', { model: 'a/b', messages, stream: true });
    const events = eventsOf(answer.text).map(({ data }) => data);
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data).choices[0]);
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(chunks.map(({ delta }) => delta.content ?? '').join('')).toBe('grüße');
    expect(chunks.at(-1)).toMatchObject({ finish_reason: 'stop' });
    expect(events.at(-1)).toBe('[DONE]');
  });

  test('to a server without streams is a stream, from the cache, too', async () => {
    const ask = (body: object) =>
      gateway.send('/v1/completions', {
        headers: { 'x-gw-config': JSON.stringify({ provider: '@server', cache: { mode: 'simple' } }) },
        body: { model: 'ensemble', prompt: 'once', stream: true, ...body },
      });
    const first = await ask({});
    expect(first.headers['x-gw-cache-status']).toBe('MISS');
    const again = await waitFor(async () => {
      const answer = await ask({});
      return answer.headers['x-gw-cache-status'] === 'HIT' ? answer : undefined;
    });
    for (const { headers, text } of [first, again]) {
      expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
      const events = eventsOf(text).map(({ data }) => data);
      expect(events.at(-1)).toBe('[DONE]');
      expect(events.map((data) => (data === '[DONE]' ? '' : JSON.parse(data).choices[0].text)).join('')).toBe(
        'upon a time',
      );
    }
    const whole = await ask({ stream: false });
    expect(whole.headers['content-type']).toBe('application/json');
  });

  test('to a server without a key has no credential, the one of the gateway neither', async () => {
    const { answer, request } = await ask('server', '/v1/completions', { model: 'any', prompt: 'Once' });
    expect(answer.json()).toMatchObject({ model: 'ensemble', choices: [{ text: 'upon a time' }] });
    expect(request.headers.has('authorization')).toBe(false);
  });

  test('carries a signature that holds for what arrives', async () => {
    const { answer, request } = await ask('cloud', '/v1/chat/completions', { model: 'meta.llama', messages });
    expect(answer.json()).toMatchObject({ provider: 'oracle', choices: [{ message: { content: 'Hello' } }] });
    expect(request.headers.get('authorization')).toContain('headers="(request-target) date host x-content-sha256');
    expect(await verifies(request)).toBe(true);
    const { compartmentId } = JSON.parse(String(await request.body));
    expect(compartmentId).toBe('ocid1.compartment');
  });
});
