/** Transcriptions, translations and changed images: forms in, JSON, text or events out. */
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, KEY, price, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const REPLAY_BYTES = 100_000;
const MAX_FORM_BYTES = 3_000_000;

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    env: { GATEHOUSE_REPLAY_BYTES: String(REPLAY_BYTES), GATEHOUSE_MAX_FORM_BYTES: String(MAX_FORM_BYTES) },
    entries: ({ url }) => [
      provider('groq', { provider: 'groq', customHost: `${url}/v1` }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: url,
        settings: { api_version: 'v1' },
        deployments: [
          { deploymentId: 'dep-usual', alias: 'usual', isDefault: true },
          { deploymentId: 'dep-whisper', alias: 'whisper' },
        ],
      }),
      config('across', {
        strategy: { mode: 'fallback' },
        targets: [
          { provider: '@openai', override_params: { model: 'mock-fail-503' } },
          { provider: '@groq', override_params: { model: 'whisper-large-v3' } },
        ],
      }),
      config('both', { strategy: { mode: 'fallback' }, targets: [{ provider: '@openai' }, { provider: '@groq' }] }),
      config('usual', { provider: '@openai', default_params: { model: 'whisper-1' } }),
      config('stubborn', { provider: '@openai', retry: { attempts: 1 } }),
      price('gpt-4o-by-second', { additionalUnits: [{ name: 'audio_second', usd: '0.0001' }] }),
      price('drawer', { images: [{ quality: 'hd', size: '1024x1024', usd: '0.08' }] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const recordOf = async (traceId: string): Promise<RequestRecord> => {
  const find = () => records.find(({ request }) => request.trace.traceId === traceId);
  await waitFor(() => find() !== undefined);
  const found = find();
  if (found === undefined) throw new Error('no record');
  return found;
};

const TYPE = 'multipart/form-data; boundary=edge';
const field = (name: string, value: string): string =>
  `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (bytes: Buffer, name = 'file'): Buffer =>
  Buffer.concat([
    Buffer.from(`--edge\r\ncontent-disposition: form-data; name="${name}"; filename="a.wav"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
const formOf = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from('--edge--\r\n')]);

const SOUND = randomBytes(50_000);
const AT_OPENAI = { 'x-gw-provider': '@openai' };
const post = (path: string, form: Buffer, headers: Readonly<Record<string, string>> = AT_OPENAI) =>
  world.send(path, { headers: { 'content-type': TYPE, ...headers }, body: form });
const transcribe = (fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>) =>
  post(
    '/v1/audio/transcriptions',
    formOf(...Object.entries(fields).map(([name, value]) => field(name, value)), file(SOUND)),
    headers,
  );
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a transcription', () => {
  test.for([
    { format: 'json', type: 'application/json', has: '"text":"Mock transcription' },
    { format: 'verbose_json', type: 'application/json', has: '"segments":[' },
    { format: 'text', type: 'text/plain', has: 'Mock transcription' },
    { format: 'srt', type: 'text/plain', has: '00:00:00,000 --> ' },
    { format: 'vtt', type: 'text/plain', has: 'WEBVTT' },
  ])('comes as $format', async ({ format, type, has }) => {
    const answer = await transcribe({ model: 'whisper-1', response_format: format });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toContain(type);
    expect(answer.text).toContain(has);
  });

  test('is of the recording that was sent', async () => {
    const answer = await transcribe({ model: 'whisper-1' });
    expect(answer.json()).toMatchObject({ bytes: SOUND.length, sha256: sha256(SOUND) });
    expect(answer.headers).toMatchObject({ 'x-gw-provider': 'openai', 'x-gw-model': 'whisper-1' });
  });

  test('streams its events', async () => {
    const answer = await transcribe({ model: 'whisper-1', stream: 'true' });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(answer.text).toContain('"type":"transcript.text.done"');
  });

  test('costs its seconds', async () => {
    const headers = { ...AT_OPENAI, 'x-gw-trace-id': 'seconds' };
    expect((await transcribe({ model: 'gpt-4o-by-second' }, headers)).status).toBe(200);
    const { answeredBy, request } = await recordOf('seconds');
    expect(request.operation).toBe('createTranscription');
    expect([answeredBy?.usage?.units, answeredBy?.cost?.nanoDollars]).toEqual([{ audio_second: 1 }, 100_000]);
  });

  test.for<[format: string, seconds: number, estimated: boolean]>([
    ['verbose_json', 1, false],
    ['srt', 1, true],
    ['vtt', 1, true],
    // 50,000 bytes of sound at 16,000 a second
    ['text', 4, true],
  ])('costs its seconds as %s, too', async ([format, seconds, estimated]) => {
    const headers = { ...AT_OPENAI, 'x-gw-trace-id': `seconds-${format}` };
    const answer = await transcribe({ model: 'gpt-4o-by-second', response_format: format }, headers);
    expect(answer.status, answer.text).toBe(200);
    const { answeredBy } = await recordOf(`seconds-${format}`);
    expect(answeredBy?.usage?.units).toEqual({ audio_second: seconds });
    expect(answeredBy?.cost).toMatchObject({ nanoDollars: seconds * 100_000, estimated, unpriced: false });
  });

  test('is tried again as far as its form is kept', async () => {
    const answer = await transcribe({ model: 'mock-fail-503-times-1' }, { 'x-gw-config': 'stubborn' });
    expect([answer.status, answer.headers['x-gw-retry-attempt-count']]).toEqual([200, '1']);
    const large = formOf(field('model', 'mock-fail-502-times-1'), file(randomBytes(3 * REPLAY_BYTES)));
    const once = await post('/v1/audio/transcriptions', large, { 'x-gw-config': 'stubborn' });
    expect([once.status, once.headers['x-gw-body-replayable']]).toEqual([502, 'false']);
  });

  test('reports errors in the normal form', async () => {
    const answer = await post('/v1/audio/transcriptions', formOf(field('model', 'whisper-1')));
    expect([answer.status, answer.json()]).toMatchObject([400, { error: { param: 'file' }, provider: 'openai' }]);
  });
});

describe('the model of a form', () => {
  const sentModel = (): string | undefined =>
    /name="model"\r\n\r\n(.*)\r\n/.exec(lastRequest(world.mock).body.toString('latin1'))?.[1];

  test('names the account', async () => {
    const answer = await transcribe({ model: '@groq/whisper-large-v3' }, {});
    expect([answer.status, answer.headers['x-gw-provider'], sentModel()]).toEqual([200, 'groq', 'whisper-large-v3']);
  });

  test('is what each target of a fallback says', async () => {
    const answer = await transcribe({ model: 'anything' }, { 'x-gw-config': 'across' });
    expect([answer.status, answer.headers['x-gw-provider']], answer.text).toEqual([200, 'groq']);
    expect([sentModel(), answer.headers['x-gw-model']]).toEqual(['whisper-large-v3', 'whisper-large-v3']);
    expect(answer.json().sha256).toBe(sha256(SOUND));
  });

  test('is the default of the config where the form names none', async () => {
    await transcribe({}, { 'x-gw-config': 'usual' });
    expect(sentModel()).toBe('whisper-1');
    await transcribe({ model: 'mine' }, { 'x-gw-config': 'usual' });
    expect(sentModel()).toBe('mine');
  });

  test.for<[rule: string, headers: Readonly<Record<string, string>>]>([
    ['of one account', AT_OPENAI],
    ['of a fallback', { 'x-gw-config': 'both' }],
  ])('has to be there, and its absence is not left to the provider %s', async ([, headers]) => {
    const before = world.mock.requests.length;
    const answer = await transcribe({ language: 'en' }, headers);
    expect([answer.status, answer.json().error], answer.text).toMatchObject([
      400,
      { code: 'model_required', param: 'model' },
    ]);
    expect(world.mock.requests.length).toBe(before);
  });

  test('may be that of the account', async () => {
    expect((await transcribe({}, { 'x-gw-provider': '@azure' })).status).toBe(200);
    expect(sentModel()).toBe('dep-usual');
  });

  test('chooses the deployment, also behind the file', async () => {
    const form = formOf(file(SOUND), field('model', 'whisper'));
    const answer = await post('/v1/audio/transcriptions', form, { 'x-gw-provider': '@azure' });
    expect([answer.status, sentModel()], answer.text).toEqual([200, 'dep-whisper']);
    await transcribe({ model: 'unknown' }, { 'x-gw-provider': '@azure' });
    expect(sentModel()).toBe('dep-usual');
  });
});

describe('a translation', () => {
  test('is the text of the provider', async () => {
    const answer = await post('/v1/audio/translations', formOf(field('model', 'whisper-1'), file(SOUND)));
    expect([answer.status, answer.json().bytes]).toEqual([200, SOUND.length]);
    expect(lastRequest(world.mock).path).toBe('/v1/audio/translations');
  });
});

describe('changed images', () => {
  const EDIT = [field('model', 'drawer'), field('prompt', 'a hat'), file(SOUND, 'image')];

  test('are edited, and vary', async () => {
    const edited = await post('/v1/images/edits', formOf(...EDIT, field('n', '2')));
    expect([edited.status, edited.json().data.length], edited.text).toEqual([200, 2]);
    const varied = await post('/v1/images/variations', formOf(file(SOUND, 'image')));
    expect([varied.status, varied.json().data.length], varied.text).toEqual([200, 1]);
  });

  test('stream their events', async () => {
    const answer = await post(
      '/v1/images/edits',
      formOf(...EDIT, field('stream', 'true'), field('partial_images', '1')),
    );
    expect(answer.text.match(/^event: .+$/gm)).toEqual([
      'event: image_edit.partial_image',
      'event: image_edit.completed',
    ]);
  });

  test('cost what the fields of the form ask for', async () => {
    const form = formOf(...EDIT, field('n', '3'), field('quality', 'hd'), field('size', '1024x1024'));
    await post('/v1/images/edits', form, { ...AT_OPENAI, 'x-gw-trace-id': 'edited' });
    expect((await recordOf('edited')).answeredBy?.cost?.nanoDollars).toBe(240_000_000);
  });
});

describe('a guardrail', () => {
  test.for([
    { path: '/v1/audio/transcriptions', type: 'createTranscription' },
    { path: '/v1/images/edits', type: 'imageEdit' },
  ])('refuses $path by its type', async ({ path, type }) => {
    const blocked = { 'default.allowedRequestTypes': { blockedTypes: [type] }, deny: true };
    const headers = { 'x-gw-config': JSON.stringify({ provider: '@openai', input_guardrails: [blocked] }) };
    const before = world.mock.requests.length;
    const answer = await post(path, formOf(field('model', 'm'), file(SOUND)), headers);
    expect([answer.status, world.mock.requests.length - before], answer.text).toEqual([446, 0]);
  });
});

describe('a form', () => {
  test.for([
    { path: '/v1/audio/transcriptions', account: '@claude' },
    { path: '/v1/audio/translations', account: '@claude' },
    { path: '/v1/images/edits', account: '@groq' },
    { path: '/v1/images/variations', account: '@azure' },
  ])('for $path is refused by name where $account does not offer it', async ({ path, account }) => {
    const before = world.mock.requests.length;
    const answer = await post(path, formOf(field('model', 'm'), file(SOUND)), { 'x-gw-provider': account });
    expect([answer.status, answer.json().error.code, world.mock.requests.length - before]).toEqual([
      400,
      'operation_unsupported',
      0,
    ]);
    expect(answer.json().error.message).toContain(`POST ${path} is not offered by`);
  });

  test.for([
    { type: 'application/json', body: '{"model":"whisper-1"}' },
    { type: 'audio/wav', body: 'sound' },
    { type: 'multipart/form-data', body: 'x' },
    { type: 'multipart/form-data; boundary=edge', body: 'no boundary' },
  ])('is what has to be sent, not $type', async ({ type, body }) => {
    const answer = await world.send('/v1/audio/transcriptions', {
      headers: { ...AT_OPENAI, 'content-type': type },
      body: Buffer.from(body),
    });
    expect(answer.status).toBe(400);
    expect(answer.json().error.code).toMatch(/^content_type_invalid$|^body_not_form$/);
  });

  test('that announces too much is refused before it is read', async () => {
    const answer = await post(
      '/v1/audio/transcriptions',
      formOf(field('model', 'whisper-1'), file(Buffer.alloc(MAX_FORM_BYTES))),
    );
    expect([answer.status, answer.json().error.code]).toEqual([413, 'body_too_large']);
  });

  test('that grows too large is refused with the part that is, and nothing of it is answered', async () => {
    const whole = formOf(field('model', 'whisper-1'), file(Buffer.alloc(MAX_FORM_BYTES + 1)));
    const answer = await sendInPieces(whole);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text).error).toMatchObject({ code: 'body_too_large', param: 'file' });
  });

  test('with a field that is too long is refused with its name', async () => {
    const form = formOf(field('model', 'whisper-1'), field('prompt', 'x'.repeat(1_100_000)), file(SOUND));
    const answer = await post('/v1/audio/transcriptions', form);
    expect([answer.status, answer.json().error.param]).toEqual([413, 'prompt']);
  });

  test('whose client leaves in the middle ends the call to the provider', async () => {
    const closed = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream((reply) => {
      reply.socket.once('close', () => closed.resolve());
    });
    const sending = httpRequest(`${world.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': TYPE, 'x-gw-api-key': KEY, 'x-gw-provider': 'openai', authorization: 'Bearer x' },
        ...{ 'x-gw-custom-host': upstream.url, 'x-gw-trace-id': 'left', 'content-length': '1000000' },
      },
    });
    sending.on('error', () => undefined);
    sending.write(Buffer.concat([Buffer.from(field('model', 'whisper-1')), file(SOUND)]));
    await waitFor(() => upstream.requests.length === 1);
    sending.destroy();
    await closed.promise;
    expect((await recordOf('left')).answer).toMatchObject({ status: 499 });
  });

  test('whose answer breaks off ends the connection, and its record says why', async () => {
    const begun = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.request.body;
      await reply.head(200, { 'content-type': 'application/json', 'content-length': '1000' });
      await reply.write('{"text":"half');
      await begun.promise;
      reply.reset();
    });
    const headers = { 'x-gw-provider': 'openai', authorization: 'Bearer x', 'x-gw-custom-host': upstream.url };
    const answer = world.send('/v1/audio/transcriptions', {
      headers: { 'content-type': TYPE, ...headers, 'x-gw-trace-id': 'cut' },
      body: formOf(field('model', 'm'), file(SOUND)),
      begun: begun.resolve,
    });
    await expect(answer).rejects.toThrow();
    expect((await recordOf('cut')).answer.error?.code).toBe('UPSTREAM_STREAM_BROKEN');
  });
});

/** Without a length, as clients send what they do not know the size of. */
function sendInPieces(body: Buffer): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(`${world.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { 'content-type': TYPE, 'x-gw-api-key': KEY, ...AT_OPENAI },
    });
    sending.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }));
    });
    sending.on('error', reject);
    for (let at = 0; at < body.length; at += 64 * 1024) sending.write(body.subarray(at, at + 64 * 1024));
    sending.end();
  });
}
