/** Data sets and fine-tuning jobs of Fireworks by the SDK of OpenAI: docs/behaviour/files-and-batches.md#fireworks. */
import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeFireworks, startFireworks } from '../kit/fireworks.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const REPLAY_BYTES = 64 * 1024;

let fireworks: FakeFireworks;
let world: World;
let client: OpenAI;

beforeAll(async () => {
  fireworks = await startFireworks();
  const account = { provider: 'fireworks-ai', customHost: `${fireworks.url}/v1` };
  const settings = { fireworks_account_id: 'acct1' };
  world = await startWorld({
    env: { GATEHOUSE_REPLAY_BYTES: String(REPLAY_BYTES) },
    entries: () => [
      provider('fireworks', { ...account, settings, secret: 'fw-secret-0123456789' }),
      provider('nobody', account),
      provider('listed', { ...account, settings, models: ['llama'] }),
    ],
  });
  client = clientOf('@fireworks');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await fireworks[Symbol.asyncDispose]();
});
beforeEach(() => {
  fireworks.fault = undefined;
});

const clientOf = (name: string, headers: Readonly<Record<string, string>> = {}): OpenAI =>
  new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: KEY,
    defaultHeaders: { 'x-gw-provider': name, ...headers },
    maxRetries: 0,
  });

const LINE = '{"messages":[]}\n';
const upload = async (text: string | Buffer = LINE, sdk = client, purpose: 'fine-tune' | 'batch' = 'fine-tune') =>
  sdk.files.create({ file: await toFile(Buffer.from(text), 'train.jsonl'), purpose });

describe('files', () => {
  test('are uploaded to an address of their exact size, read, listed and deleted', async () => {
    const file = await upload();
    expect(file).toMatchObject({
      ...{ object: 'file', bytes: LINE.length, filename: 'train.jsonl', purpose: 'fine-tune', status: 'processed' },
      id: expect.stringMatching(/^ft-[0-9a-f-]{36}$/),
    });
    expect(fireworks.contents.get(file.id)?.toString()).toBe(LINE);
    expect(await client.files.retrieve(file.id)).toMatchObject({
      id: file.id,
      status: 'processed',
      created_at: 1_767_323_045,
    });
    expect(await client.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('are listed page by page, whatever pages the account has', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await upload()).id);
    const listed: string[] = [];
    for await (const { id } of client.files.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(expect.arrayContaining(ids));
    expect(new Set(listed).size).toBe(listed.length);
    await expect(client.files.list({ after: 'none' })).rejects.toMatchObject({ status: 400, param: 'after' });
    const odd = await world.send('/v1/files?limit=x', { headers: { 'x-gw-provider': '@fireworks' } });
    expect([odd.status, odd.json()]).toMatchObject([400, { error: { param: 'limit' } }]);
  });

  test('carry the credential to the account, and not to the address of the upload', async () => {
    const before = fireworks.calls.length;
    await upload();
    const made = fireworks.calls
      .slice(before)
      .map(({ method, path, authorization }) => [`${method} ${path.replace(/ft-[0-9a-f-]{36}/, 'ID')}`, authorization]);
    const bearer = 'Bearer fw-secret-0123456789';
    expect(made).toEqual([
      ['POST /v1/accounts/acct1/datasets', bearer],
      ['POST /v1/accounts/acct1/datasets/ID:getUploadEndpoint', bearer],
      ['PUT /bucket/ID', undefined],
      ['POST /v1/accounts/acct1/datasets/ID:validateUpload', bearer],
    ]);
  });

  const large = Buffer.alloc(8 * REPLAY_BYTES, LINE);

  test('that are too large to be read twice need their length, and then go through', async () => {
    const refused = upload(large);
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'x-gw-file-upload-size' });
    const { id } = await upload(large, clientOf('@fireworks', { 'x-gw-file-upload-size': String(large.length) }));
    expect(fireworks.contents.get(id)?.equals(large)).toBe(true);
  });

  test.for([large.length - 1, large.length + 1])(
    'of another length than they say are not stored: %i',
    async (bytes) => {
      const before = fireworks.datasets.size;
      const refused = upload(large, clientOf('@fireworks', { 'x-gw-file-upload-size': String(bytes) }));
      await expect(refused).rejects.toMatchObject({ status: 400, param: 'x-gw-file-upload-size' });
      expect(fireworks.datasets.size).toBe(before);
    },
  );

  test.for(['x', '0', '-1', '1e3'])('with the length %s are refused', async (length) => {
    const refused = upload(LINE, clientOf('@fireworks', { 'x-gw-file-upload-size': length }));
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'x-gw-file-upload-size' });
  });

  test('for batches are refused, and so is a form without a file', async () => {
    await expect(upload(LINE, client, 'batch')).rejects.toMatchObject({ status: 400, param: 'purpose' });
    await expect(upload('')).rejects.toMatchObject({ status: 400, param: 'file' });
    const send = (body: string, type = 'multipart/form-data; boundary=b') =>
      world.send('/v1/files', {
        method: 'POST',
        headers: { 'x-gw-provider': '@fireworks', 'content-type': type },
        body,
      });
    const noFile = await send('--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nfine-tune\r\n--b--\r\n');
    expect([noFile.status, noFile.json()]).toMatchObject([400, { error: { param: 'file' } }]);
    expect((await send('x', 'text/plain')).status).toBe(400);
  });

  test.for([
    { rule: 'no address', step: ':getUploadEndpoint', status: 200, body: {}, want: 502 },
    {
      rule: 'an address of another protocol',
      step: ':getUploadEndpoint',
      ...{ status: 200, body: { filenameToSignedUrls: { '*': 'ftp://h/x' } }, want: 502 },
    },
    { rule: 'a bucket that refuses', step: '/bucket/', status: 403, body: { error: { message: 'no' } }, want: 403 },
    { rule: 'a check that fails', step: ':validateUpload', status: 400, body: { error: { message: 'no' } }, want: 400 },
  ])('leave nothing behind after $rule', async ({ step, status, body, want }) => {
    const before = fireworks.datasets.size;
    fireworks.fault = ({ path }) => (path.includes(step) ? { status, body } : undefined);
    await expect(upload()).rejects.toMatchObject({ status: want });
    expect(fireworks.datasets.size).toBe(before);
  });

  test('need the account', async () => {
    await expect(upload(LINE, clientOf('@nobody'))).rejects.toThrow(/fireworks_account_id/);
  });

  test('keep to the account: an id is no path', async () => {
    for (const id of ['a%2Fb', 'a:validateUpload']) {
      const answer = await world.send(`/v1/files/${id}`, { headers: { 'x-gw-provider': '@fireworks' } });
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { param: 'file_id' } }]);
    }
  });

  test('cannot be read again, and there are no batches', async () => {
    await expect(client.files.content('x')).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
    await expect(client.batches.list()).rejects.toMatchObject({ status: 400, code: 'operation_unsupported' });
  });
});

describe('fine-tuning jobs', () => {
  const create = (more: object = {}, sdk = client) =>
    sdk.fineTuning.jobs.create({ model: 'llama', training_file: 'ft-1', ...more });

  test('are created in the words of the account', async () => {
    const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2, batch_size: 'auto' } } };
    const own = { output_model: 'mine', provider_options: { loraRank: 8, warmStartFrom: 'accounts/x/models/y' } };
    const job = await create({ validation_file: 'ft-2', suffix: 'name', method, ...own });
    expect(JSON.parse(fireworks.calls.at(-1)?.body.toString() ?? '')).toEqual({
      dataset: 'accounts/acct1/datasets/ft-1',
      evaluationDataset: 'accounts/acct1/datasets/ft-2',
      displayName: 'name',
      baseModel: 'accounts/fireworks/models/llama',
      epochs: 2,
      outputModel: 'accounts/acct1/models/mine',
      loraRank: 8,
    });
    expect(job).toMatchObject({
      ...{ object: 'fine_tuning.job', status: 'running', training_file: 'ft-1', validation_file: 'ft-2' },
      ...{ model: 'accounts/fireworks/models/llama', fine_tuned_model: null, hyperparameters: { n_epochs: 2 } },
    });
  });

  test('take what stands at the top, and a model by its whole name', async () => {
    await create({ model: 'accounts/acct2/models/m', hyperparameters: { n_epochs: 1, learning_rate_multiplier: 0.5 } });
    expect(JSON.parse(fireworks.calls.at(-1)?.body.toString() ?? '')).toEqual({
      ...{
        dataset: 'accounts/acct1/datasets/ft-1',
        baseModel: 'accounts/acct2/models/m',
        epochs: 1,
        learningRate: 0.5,
      },
    });
  });

  test.for([
    { given: { training_file: undefined }, param: 'training_file' },
    { given: { training_file: '../x' }, param: 'training_file' },
    { given: { validation_file: 'a/b' }, param: 'validation_file' },
    { given: { model: '' }, param: 'model' },
  ])('with $given are refused', async ({ given, param }) => {
    const refused = create(given);
    await expect(refused).rejects.toBeInstanceOf(BadRequestError);
    await expect(refused).rejects.toMatchObject({ param });
  });

  test.for([
    {
      state: 'JOB_STATE_COMPLETED',
      want: { status: 'succeeded', fine_tuned_model: 'accounts/acct1/models/o', error: null },
    },
    {
      state: 'JOB_STATE_FAILED',
      want: { status: 'failed', fine_tuned_model: null, error: { code: 'failed', message: 'bad row' } },
    },
    { state: 'JOB_STATE_CANCELLED', want: { status: 'cancelled' } },
    { state: 'JOB_STATE_WRITING_RESULTS', want: { status: 'running' } },
    { state: 'JOB_STATE_PENDING', want: { status: 'queued' } },
  ])('in the state $state are $want.status', async ({ state, want }) => {
    const status = { message: 'bad row' };
    fireworks.jobs.set('s', {
      name: 'accounts/acct1/supervisedFineTuningJobs/s',
      state,
      status,
      outputModel: 'accounts/acct1/models/o',
    });
    expect(await client.fineTuning.jobs.retrieve('s')).toMatchObject({ id: 's', ...want });
  });

  test('are listed, and cancelled while they run', async () => {
    const { id } = await create();
    const listed: string[] = [];
    for await (const job of client.fineTuning.jobs.list({ limit: 1 })) listed.push(job.id);
    expect(listed).toContain(id);
    expect(await client.fineTuning.jobs.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    await expect(client.fineTuning.jobs.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    fireworks.jobs.set('done', { name: 'accounts/acct1/supervisedFineTuningJobs/done', state: 'JOB_STATE_COMPLETED' });
    await expect(client.fineTuning.jobs.cancel('done')).rejects.toMatchObject({ status: 400, param: 'job_id' });
    expect(fireworks.jobs.has('done')).toBe(true);
  });

  test('tune listed models alone', async () => {
    const sdk = clientOf('@listed');
    expect(await create({}, sdk)).toMatchObject({ status: 'running' });
    for (const other of [{ model: 'other' }, { provider_options: { baseModel: 'other' } }]) {
      await expect(create(other, sdk)).rejects.toMatchObject({ status: 412 });
    }
  });
});
