/** What clients store at the mock: files, batches, fine-tuning jobs, vector stores, background responses. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../index.ts';

let mock: MockProvider;
let client: OpenAI;
beforeAll(async () => {
  mock = await createMockProvider();
  client = new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: 'any', maxRetries: 0, logLevel: 'off' });
});
afterAll(() => mock.close());

const upload = async (text: string, purpose: OpenAI.FilePurpose = 'user_data') =>
  client.files.create({ file: await toFile(Buffer.from(text), 'some.jsonl'), purpose });

const idsOf = async (list: AsyncIterable<{ readonly id: string }>): Promise<string[]> =>
  (await Array.fromAsync(list)).map(({ id }) => id);

describe('files', () => {
  test('are read as they were uploaded, until they are deleted', async () => {
    const text = '{"a":"ü"}\n';
    const file = await upload(text);
    expect(file).toMatchObject({ filename: 'some.jsonl', bytes: Buffer.byteLength(text), purpose: 'user_data' });
    expect(await client.files.retrieve(file.id)).toEqual(file);
    expect(await (await client.files.content(file.id)).text()).toBe(text);
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(client.files.content(file.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('are listed newest first, by purpose, in pages', async () => {
    const made: string[] = [];
    for (const text of ['one', 'two', 'three']) made.push((await upload(text, 'evals')).id);
    const newestFirst = made.toReversed();
    expect(await idsOf(client.files.list({ purpose: 'evals' }))).toEqual(newestFirst);
    expect(await idsOf(client.files.list({ purpose: 'evals', limit: 1 }))).toEqual(newestFirst);
    expect(await idsOf(client.files.list({ purpose: 'evals', order: 'asc' }))).toEqual(made);
    expect(await idsOf(client.files.list({ purpose: 'vision' }))).toEqual([]);
  });

  test.for([
    { field: 'file', filename: 'x'.repeat(513), purpose: 'evals' },
    { field: 'purpose', filename: 'a.txt', purpose: 'x'.repeat(513) },
  ])('are refused with an endless name in $field', async ({ field, filename, purpose }) => {
    const form = new FormData();
    form.set('purpose', purpose);
    form.set('file', new File(['a'], filename));
    const answer = await fetch(`${mock.url}/v1/files`, { method: 'POST', body: form });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param: field } });
  });

  test('need a file in the form', async () => {
    const form = new FormData();
    form.set('purpose', 'batch');
    const answer = await fetch(`${mock.url}/v1/files`, { method: 'POST', body: form });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'file' } });
  });
});

const line = (customId: string, model = 'm', url = '/v1/chat/completions') =>
  JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url,
    body: { model, messages: [{ role: 'user', content: customId }] },
  });

const batchOf = async (...lines: readonly string[]) =>
  client.batches.create({
    input_file_id: (await upload(lines.join('\n'), 'batch')).id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });

const rowsOf = async (id: string | null | undefined): Promise<unknown[]> =>
  (await (await client.files.content(id ?? '')).text())
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row));

describe('a batch', () => {
  test('is done when it is read, with failures in a file of their own', async () => {
    const batch = await batchOf(line('a'), line('b', 'mock-fail-429'), line('c'));
    expect(batch).toMatchObject({ status: 'validating', output_file_id: null });
    const done = await client.batches.retrieve(batch.id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 } });
    expect(await rowsOf(done.output_file_id)).toMatchObject(
      ['a', 'c'].map((name) => ({
        custom_id: name,
        response: {
          status_code: 200,
          request_id: expect.stringMatching(/^req_/),
          body: { choices: [{ message: { content: `Mock answer to: ${name}` } }] },
        },
      })),
    );
    expect(await rowsOf(done.error_file_id)).toMatchObject([{ custom_id: 'b', response: { status_code: 429 } }]);
    await expect(client.batches.cancel(batch.id)).rejects.toBeInstanceOf(OpenAI.ConflictError);
    expect(await idsOf(client.batches.list())).toContain(batch.id);
  });

  test('can be cancelled before it is read', async () => {
    const batch = await batchOf(line('later'));
    expect(await client.batches.cancel(batch.id)).toMatchObject({ status: 'cancelling' });
    expect(await client.batches.retrieve(batch.id)).toMatchObject({ status: 'cancelled', output_file_id: null });
  });

  test.for([
    { rule: 'no JSON', lines: [line('a'), '{'], code: 'invalid_json_line', at: 2 },
    { rule: 'another url', lines: [line('a', 'm', '/v1/embeddings')], code: 'mismatched_url', at: 1 },
    { rule: 'nothing', lines: [''], code: 'empty_file', at: null },
  ])('fails with $rule in its file', async ({ lines, code, at }) => {
    const { id } = await batchOf(...lines);
    const { status, errors } = await client.batches.retrieve(id);
    expect({ status, errors: errors?.data }).toMatchObject({ status: 'failed', errors: [{ code, line: at }] });
  });

  test('needs a known endpoint, a window and a file', async () => {
    const good = { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    await expect(client.batches.create(good)).rejects.toMatchObject({ status: 400, param: 'input_file_id' });
    for (const field of ['endpoint', 'completion_window'] as const) {
      const body = JSON.stringify({ ...good, [field]: 'other' });
      const answer = await fetch(`${mock.url}/v1/batches`, { method: 'POST', body });
      expect(await answer.json()).toMatchObject({ error: { param: field } });
    }
  });
});

describe('a fine-tuning job', () => {
  const start = async (suffix: string) =>
    client.fineTuning.jobs.create({ model: 'm', training_file: (await upload(suffix, 'fine-tune')).id, suffix });

  test('succeeds when it is read, and then has a model, events and a checkpoint', async () => {
    const job = await start('first');
    expect(job).toMatchObject({ status: 'queued', fine_tuned_model: null });
    const done = await client.fineTuning.jobs.retrieve(job.id);
    expect(done).toMatchObject({
      status: 'succeeded',
      fine_tuned_model: expect.stringMatching(/^ft:m:mock:first:/),
    });
    expect(await idsOf(client.fineTuning.jobs.listEvents(job.id))).toHaveLength(2);
    expect(await idsOf(client.fineTuning.jobs.checkpoints.list(job.id))).toHaveLength(1);
    expect(await idsOf(client.fineTuning.jobs.list())).toContain(job.id);
    await expect(client.fineTuning.jobs.cancel(job.id)).rejects.toMatchObject({ status: 400 });
  });

  test('can be cancelled before it is read', async () => {
    const { id } = await start('second');
    expect(await client.fineTuning.jobs.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ status: 'cancelled' });
  });

  test('is refused with an endless suffix', async () => {
    await expect(start('x'.repeat(513))).rejects.toMatchObject({ status: 400, param: 'suffix' });
  });

  test('needs an uploaded file', async () => {
    const run = client.fineTuning.jobs.create({ model: 'm', training_file: 'file-none' });
    await expect(run).rejects.toMatchObject({ status: 400, param: 'training_file' });
    await expect(client.fineTuning.jobs.retrieve('ftjob-none')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('a vector store', () => {
  test('holds files and finds those that share words with the query', async () => {
    const weather = await upload('rain and wind over Paris');
    const music = await upload('a song for two violins');
    const store = await client.vectorStores.create({ name: 'notes', file_ids: [weather.id] });
    await client.vectorStores.files.create(store.id, { file_id: music.id });
    expect(await client.vectorStores.retrieve(store.id)).toMatchObject({
      name: 'notes',
      file_counts: { completed: 2 },
    });
    const found = await Array.fromAsync(client.vectorStores.search(store.id, { query: 'wind in Paris' }));
    expect(found.map(({ file_id }) => file_id)).toEqual([weather.id, music.id]);
    expect(found[0]?.content).toEqual([{ type: 'text', text: 'rain and wind over Paris' }]);
    await client.vectorStores.files.delete(weather.id, { vector_store_id: store.id });
    expect(await idsOf(client.vectorStores.files.list(store.id))).toEqual([music.id]);
    expect(await client.vectorStores.update(store.id, { name: 'songs' })).toMatchObject({ name: 'songs' });
    expect(await idsOf(client.vectorStores.list())).toContain(store.id);
    await client.vectorStores.delete(store.id);
    await expect(client.vectorStores.retrieve(store.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('is refused with an endless name, and does not take one later', async () => {
    const name = 'x'.repeat(513);
    await expect(client.vectorStores.create({ name })).rejects.toMatchObject({ status: 400, param: 'name' });
    const { id } = await client.vectorStores.create({ name: 'short' });
    await expect(client.vectorStores.update(id, { name })).rejects.toMatchObject({ status: 400, param: 'name' });
    expect(await client.vectorStores.retrieve(id)).toMatchObject({ name: 'short' });
  });

  test('refuses files that are not there', async () => {
    const store = await client.vectorStores.create({});
    const run = client.vectorStores.files.create(store.id, { file_id: 'file-none' });
    await expect(run).rejects.toMatchObject({ status: 400, param: 'file_id' });
    await expect(client.vectorStores.files.retrieve('file-none', { vector_store_id: store.id })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
  });
});

describe('a background response', () => {
  const ask = (input: string) => client.responses.create({ model: 'm', input, background: true });

  test('is queued until it is read', async () => {
    const queued = await ask('Later');
    expect(queued).toMatchObject({ status: 'queued', output: [] });
    expect((await client.responses.retrieve(queued.id)).output_text).toBe('Mock answer to: Later');
    const events = await Array.fromAsync(await client.responses.retrieve(queued.id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'completed' });
  });

  test('can be cancelled before it is read', async () => {
    const { id } = await ask('Never');
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled', output: [] });
  });

  test('alone can be cancelled', async () => {
    const { id } = await client.responses.create({ model: 'm', input: 'Now' });
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(client.responses.cancel('resp_none')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

test('input tokens of a response are counted with what it continues', async () => {
  const first = await client.responses.create({ model: 'm', input: 'One two' });
  const alone = await client.responses.inputTokens.count({ model: 'm', input: 'Three' });
  const more = await client.responses.inputTokens.count({ model: 'm', input: 'Three', previous_response_id: first.id });
  expect(alone.input_tokens).toBe(2);
  expect(more.input_tokens).toBeGreaterThan(alone.input_tokens);
});

describe('images', () => {
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

  test('are generated as bytes or as an address', async () => {
    const asked = { model: 'gpt-image-mock', prompt: 'A cat', n: 2 };
    const { data = [], usage } = await client.images.generate(asked);
    expect(data.map(({ b64_json = '' }) => Buffer.from(b64_json, 'base64').subarray(0, 4))).toEqual([PNG, PNG]);
    expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 544 });
    const named = await client.images.generate({ ...asked, n: 1, response_format: 'url' });
    expect(named.data?.[0]?.url).toMatch(/^data:image\/png;base64,/);
    await expect(client.images.generate({ ...asked, n: 99 })).rejects.toMatchObject({ status: 400, param: 'n' });
  });

  test('stream partial images first', async () => {
    const stream = await client.images.generate({ prompt: 'A cat', stream: true, partial_images: 2 });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
  });

  test('are edited and varied from an uploaded image', async () => {
    const image = await toFile(PNG, 'cat.png', { type: 'image/png' });
    const edited = await client.images.edit({ image: [image, image], prompt: 'Blue' });
    expect(edited.usage?.input_tokens_details).toEqual({ text_tokens: 1, image_tokens: 544 });
    expect((await client.images.createVariation({ image })).data).toHaveLength(1);
    const form = new FormData();
    form.set('prompt', 'x');
    expect((await fetch(`${mock.url}/v1/images/edits`, { method: 'POST', body: form })).status).toBe(400);
  });
});

describe('calls of the realtime API', () => {
  const sdp =
    'v=0\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:a1\r\nm=application 9 DTLS/SCTP 5000\r\n';

  test('have an answer with a description for each of the offer, until they are hung up', async () => {
    const response = await client.realtime.calls.create({ sdp, session: { type: 'realtime', model: 'gpt-realtime' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/sdp']);
    const media = (await response.text()).split(/\r\n(?=m=)/).slice(1);
    expect(media.map((part) => part.split('\r\n').slice(0, 2))).toEqual([
      ['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=mid:a1'],
      ['m=application 9 DTLS/SCTP 5000', 'a=mid:1'],
    ]);
    const id = response.headers.get('location')?.split('/').at(-1) ?? '';
    await client.realtime.calls.refer(id, { target_uri: 'sip:a@example.com' });
    await client.realtime.calls.hangup(id);
    await expect(client.realtime.calls.hangup(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test.for([
    { rule: 'no SDP', body: { sdp: 'hello' } },
    { rule: 'a session that is none', body: { sdp, session: 1 as never } },
  ])('are refused with $rule', async ({ body }) => {
    await expect(client.realtime.calls.create(body)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  test('are opened with secrets, which say their session and when they expire', async () => {
    const short = await client.realtime.clientSecrets.create({ expires_after: { seconds: 30 } });
    const usual = await client.realtime.clientSecrets.create({ session: { type: 'realtime', model: 'm' } });
    expect([short.value, usual.session]).toEqual([
      expect.stringMatching(/^ek_/),
      expect.objectContaining({ model: 'm', type: 'realtime' }),
    ]);
  });
});
