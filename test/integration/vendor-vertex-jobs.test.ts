/** Batches and fine-tuning jobs of Vertex AI: docs/behaviour/files-and-batches.md#vertex-ai. */
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { World } from '../kit/gateway.ts';
import type { CloudCall, FakeGoogleCloud } from '../kit/google-cloud.ts';
import { GEMINI, startVertexWorld, type VertexWorld } from '../kit/vertex-world.ts';

let there: VertexWorld;
let cloud: FakeGoogleCloud;
let world: World;

beforeAll(async () => {
  there = await startVertexWorld();
  cloud = there.cloud;
  world = there.world;
});
afterAll(() => there[Symbol.asyncDispose]());
beforeEach(() => there.clear());

const clientOf: VertexWorld['clientOf'] = (headers) => there.clientOf(headers);

const INPUT = encodeURIComponent('gs://files/in/rows.jsonl');

const createBatch = (more: object = {}, sdk = clientOf()) =>
  sdk.batches.create({
    ...{ input_file_id: INPUT, endpoint: '/v1/chat/completions', completion_window: '24h' },
    ...{ model: GEMINI, ...more },
  } as OpenAI.BatchCreateParams);

const addJob = (id: string, facts: object = {}): string => {
  cloud.jobs.set(`batchPredictionJobs/${id}`, {
    ...{ name: `projects/p1/locations/us-central1/batchPredictionJobs/${id}`, state: 'JOB_STATE_SUCCEEDED' },
    model: `publishers/google/models/${GEMINI}`,
    createTime: '2026-01-02T03:04:05.678Z',
    inputConfig: { gcsSource: { uris: ['gs://files/in/rows.jsonl'] } },
    outputInfo: { gcsOutputDirectory: 'gs://files/in/prediction-1' },
    ...facts,
  });
  return id;
};

describe('a stored credential', () => {
  test('of a list of models starts batches of these alone', async () => {
    const listed = clientOf({ 'x-gw-provider': '@listed' });
    for (const more of [
      { model: 'gemini-2.5-pro' },
      { model: undefined, provider_options: { model: 'gemini-2.5-pro' } },
    ]) {
      await expect(createBatch(more, listed)).rejects.toMatchObject({ status: 412 });
    }
    expect(cloud.jobs.size).toBe(0);
    expect(await createBatch({}, listed)).toMatchObject({ status: 'validating' });
  });

  test.for([
    { given: { input_file_id: 'gs://other/x' }, param: 'input_file_id' },
    { given: { output_data_config: 'gs://other/' }, param: 'output_data_config' },
    { given: { provider_options: { output_data_config: 'gs://files/../x' } }, param: 'output_data_config' },
    { given: { model: 'projects/p2/locations/us-central1/models/1' }, param: 'model' },
    { given: { model: undefined }, param: 'model' },
  ])('starts no batch with $given', async ({ given, param }) => {
    await expect(createBatch(given)).rejects.toMatchObject({ status: 400, param });
    expect(cloud.jobs.size).toBe(0);
  });
});

describe('a batch', () => {
  test('is created in the words of the service', async () => {
    const batch = await createBatch({ provider_options: { labels: { team: 'a' }, serviceAccount: 'evil' } });
    expect(cloud.created).toEqual({
      displayName: expect.stringMatching(/^[0-9a-f-]{36}$/),
      model: `publishers/google/models/${GEMINI}`,
      inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: ['gs://files/in/rows.jsonl'] } },
      outputConfig: { predictionsFormat: 'jsonl', gcsDestination: { outputUriPrefix: 'gs://files/in/' } },
      instanceConfig: { excludedFields: ['requestId'], includedFields: [], instanceType: 'object' },
      labels: { team: 'a' },
    });
    expect(batch).toMatchObject({
      ...{ id: '100', object: 'batch', status: 'validating', input_file_id: INPUT, created_at: 1_767_323_045 },
    });
  });

  test.for([
    { state: 'RUNNING', status: 'in_progress' },
    { state: 'PAUSED', status: 'validating' },
    { state: 'PARTIALLY_SUCCEEDED', status: 'completed', completed_at: 1_767_326_645 },
    { state: 'FAILED', status: 'failed', errors: { data: [{ message: 'bad row' }] } },
    { state: 'CANCELLED', status: 'cancelled' },
    { state: 'EXPIRED', status: 'expired' },
  ])('in the state $state is $status', async ({ state, ...want }) => {
    const error = state === 'FAILED' ? { error: { code: 3, message: 'bad row' } } : {};
    const stats = { completionStats: { successfulCount: '2', failedCount: '1', incompleteCount: '-1' } };
    addJob('7', { state: `JOB_STATE_${state}`, endTime: '2026-01-02T04:04:05Z', ...error, ...stats });
    expect(await clientOf().batches.retrieve('7')).toMatchObject({
      ...{ id: '7', model: GEMINI, request_counts: { total: 3, completed: 2, failed: 1 } },
      ...want,
    });
  });

  test('is cancelled, and listed page by page', async () => {
    const { id } = await createBatch();
    expect(await clientOf().batches.cancel(id)).toMatchObject({ id, status: 'cancelling' });
    const ids = [id, ...['1', '2', '3', '4'].map((each) => addJob(each))];
    const listed: string[] = [];
    for await (const batch of clientOf().batches.list({ limit: 2 })) listed.push(batch.id);
    expect(listed).toEqual(ids);
    const first = await world.send('/v1/batches?limit=2', { headers: { 'x-gw-provider': '@vertex' } });
    expect(first.json()).toMatchObject({ has_more: true, last_id: 't2' });
  });

  test.for(['1%2Fx', '1:cancel', 'projects%2Fp2%2Flocations%2Fx%2FbatchPredictionJobs%2F1'])(
    'has no id %s',
    async (id) => {
      const answer = await world.send(`/v1/batches/${id}`, { headers: { 'x-gw-provider': '@vertex' } });
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { param: 'batch_id' } }]);
      expect(cloud.calls).toEqual([]);
    },
  );
});

describe('the output of a batch', () => {
  const output = (id = '7') => world.send(`/v1/batches/${id}/output`, { headers: { 'x-gw-provider': '@vertex' } });
  const put = (lines: readonly object[], name = 'files/in/prediction-1/predictions.jsonl'): void =>
    void cloud.objects.set(name, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  const rowsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is its rows in the format of OpenAI, also those that failed', async () => {
    const response = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      ...{ responseId: 'r1', usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } },
    };
    put([
      { requestId: 'a', status: '', response },
      { requestId: 'b', status: 'Bad Request: {"error": {"code": 400, "message": "too long", "status": "INVALID"}}' },
      { instance: { requestId: 'c' }, status: 'gone' },
    ]);
    addJob('7', { endTime: '2026-01-02T04:04:05Z' });
    const answer = await output();
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    expect(rowsOf(answer.text)).toMatchObject([
      {
        ...{ id: 'batch-7-r1', custom_id: 'a', error: null },
        response: {
          ...{ status_code: 200, request_id: 'r1' },
          body: {
            ...{ object: 'chat.completion', created: 1_767_326_645, model: GEMINI },
            choices: [{ message: { content: 'Hi' } }],
            usage: { total_tokens: 5 },
          },
        },
      },
      { custom_id: 'b', response: null, error: { code: 'INVALID', message: 'too long' } },
      { custom_id: 'c', response: null, error: { code: 'failed', message: 'gone' } },
    ]);
  });

  test('is read from embeddings, and wherever the service has put it', async () => {
    const predictions = [{ embeddings: { values: [0.5, 1], statistics: { token_count: 4 } } }];
    addJob('7', { model: 'publishers/google/models/text-embedding-005' });
    for (const name of ['000000000000.jsonl', 'predictions.jsonl']) {
      cloud.objects.clear();
      put([{ instance: { content: 'x', requestId: 'a' }, predictions, status: '' }], `files/in/prediction-1/${name}`);
      expect(rowsOf((await output()).text)).toMatchObject([
        {
          custom_id: 'a',
          response: { body: { object: 'list', data: [{ embedding: [0.5, 1] }], usage: { prompt_tokens: 4 } } },
        },
      ]);
    }
  });

  test.for([
    {
      rule: 'has written nothing',
      facts: { outputInfo: undefined, state: 'JOB_STATE_RUNNING' },
      status: 400,
      want: { error: { code: 'batch_output_missing' } },
    },
    { rule: 'has lost it', facts: {}, status: 400, want: { error: { code: 'batch_output_missing' } } },
    {
      rule: 'failed',
      facts: { outputInfo: undefined, error: { message: 'bad' } },
      status: 200,
      want: { data: [{ message: 'bad' }] },
    },
    {
      rule: 'wrote to another bucket',
      facts: { outputInfo: { gcsOutputDirectory: 'gs://other/x' } },
      ...{ status: 400, want: { error: { code: 'account_setting_refused' } } },
    },
  ])('is not there where it $rule', async ({ facts, status, want }) => {
    addJob('7', facts);
    const answer = await output();
    expect([answer.status, answer.json()]).toMatchObject([status, want]);
  });
});

describe('a fine-tuning job', () => {
  const create = (more: object = {}, sdk = clientOf()) =>
    sdk.fineTuning.jobs.create({ model: GEMINI, training_file: INPUT, suffix: 'mine', ...more });

  test('is created in the words of the service', async () => {
    const job = await create({
      validation_file: encodeURIComponent('gs://files/in/check.jsonl'),
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2, learning_rate_multiplier: 0.5 } } },
      provider_options: { serviceAccount: 'evil', encryptionSpec: {} },
    });
    expect(cloud.created).toEqual({
      ...{ baseModel: GEMINI, tunedModelDisplayName: 'mine' },
      supervisedTuningSpec: {
        trainingDatasetUri: 'gs://files/in/rows.jsonl',
        validationDatasetUri: 'gs://files/in/check.jsonl',
        hyperParameters: { epochCount: 2, learningRateMultiplier: 0.5 },
      },
    });
    expect(job).toMatchObject({
      ...{
        id: '100',
        object: 'fine_tuning.job',
        status: 'queued',
        model: GEMINI,
        training_file: INPUT,
        suffix: 'mine',
      },
      hyperparameters: { n_epochs: 2, learning_rate_multiplier: 0.5 },
    });
  });

  test.for([
    { given: { training_file: 'gs://other/x' }, param: 'training_file' },
    { given: { validation_file: 'gs://other/x' }, param: 'validation_file' },
    { given: { model: 'projects/p2/locations/us-central1/models/1' }, param: 'model' },
  ])('of a stored account cannot have $given', async ({ given, param }) => {
    await expect(create(given)).rejects.toMatchObject({ status: 400, param });
    expect(cloud.jobs.size).toBe(0);
  });

  test('is listed, read and cancelled', async () => {
    const jobs = [await create(), await create(), await create()];
    const listed: string[] = [];
    for await (const { id } of clientOf().fineTuning.jobs.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(jobs.map(({ id }) => id));
    Object.assign(cloud.jobs.get('tuningJobs/101') ?? {}, {
      ...{ state: 'JOB_STATE_SUCCEEDED', tunedModel: { model: 'projects/p1/locations/us-central1/models/9' } },
      tuningDataStats: { supervisedTuningDataStats: { totalBillableTokenCount: '42' } },
    });
    expect(await clientOf().fineTuning.jobs.retrieve('101')).toMatchObject({
      ...{ status: 'succeeded', fine_tuned_model: 'projects/p1/locations/us-central1/models/9', trained_tokens: 42 },
    });
    expect(await clientOf().fineTuning.jobs.cancel('100')).toMatchObject({ id: '100', status: 'cancelled' });
  });
});

test('calls go to the project of the account', async () => {
  await createBatch();
  expect(cloud.calls.map(({ path }: CloudCall) => path)).toEqual([
    '/v1/projects/p1/locations/us-central1/batchPredictionJobs',
  ]);
});
