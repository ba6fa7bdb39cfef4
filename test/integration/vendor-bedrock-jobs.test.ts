/** Batches and fine-tuning jobs of Bedrock: docs/behaviour/files-and-batches.md#bedrock. */
import OpenAI, { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT_ARN, type FakeAws, startAws } from '../kit/aws.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const KEYS = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-0123456789' };
const ROLE = 'arn:aws:iam::123456789012:role/jobs';
const CLAUDE = 'anthropic.claude-3-haiku-20240307-v1:0';
const NOVA = 'amazon.nova-lite-v1:0';
const INPUT = encodeURIComponent('s3://files/in/rows.jsonl');

let aws: FakeAws;
let world: World;

beforeAll(async () => {
  aws = await startAws();
  const account = { provider: 'bedrock', customHost: aws.url, secret: KEYS };
  const settings = { aws_region: 'eu-west-1', aws_s3_bucket: 'files', aws_job_role_arn: ROLE };
  world = await startWorld({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: () => [
      provider('bedrock', { ...account, settings }),
      provider('sealed', { ...account, settings: { ...settings, aws_server_side_encryption_kms_key_id: 'key-1' } }),
      provider('roleless', { ...account, settings: { aws_region: 'eu-west-1', aws_s3_bucket: 'files' } }),
      provider('listed', { ...account, settings, models: [NOVA] }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await aws[Symbol.asyncDispose]();
});
beforeEach(() => {
  aws.calls.length = 0;
  aws.objects.clear();
  aws.jobs.clear();
});

type Headers = Readonly<Record<string, string>>;

const clientOf = (headers: Headers = {}): OpenAI =>
  new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: KEY,
    defaultHeaders: { 'x-gw-provider': '@bedrock', ...headers },
    maxRetries: 0,
  });

const guest = (): OpenAI =>
  clientOf({
    'x-gw-provider': 'bedrock',
    'x-gw-api-key': KEY,
    'x-gw-custom-host': aws.url,
    'x-gw-aws-access-key-id': 'AKIDGUEST',
    'x-gw-aws-secret-access-key': 'guest-secret-0123456789',
    'x-gw-aws-region': 'eu-west-1',
  });

const createBatch = (more: object = {}, sdk = clientOf()) =>
  sdk.batches.create({
    ...{ input_file_id: INPUT, endpoint: '/v1/chat/completions', completion_window: '24h' },
    ...{ model: CLAUDE, ...more },
  } as OpenAI.BatchCreateParams);

const outputOf = (id: string, headers: Headers = {}) =>
  world.send(`/v1/batches/${id}/output`, { headers: { 'x-gw-provider': '@bedrock', ...headers } });

const arnOf = (number: string): string => `${ACCOUNT_ARN}:model-invocation-job/${number.padStart(12, '0')}`;

const addJob = (number: string, facts: object = {}): string => {
  const jobArn = arnOf(number);
  aws.jobs.set(jobArn, {
    ...{ jobArn, modelId: CLAUDE, status: 'Completed', submitTime: '2026-01-02T03:04:05.678Z' },
    inputDataConfig: { s3InputDataConfig: { s3Uri: 's3://files/in/rows.jsonl' } },
    outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://files/in/' } },
    ...facts,
  });
  return encodeURIComponent(jobArn);
};

describe('a batch', () => {
  test('is created in the words of the service', async () => {
    const batch = await createBatch();
    expect(aws.created).toEqual({
      modelId: CLAUDE,
      inputDataConfig: { s3InputDataConfig: { s3Uri: 's3://files/in/rows.jsonl' } },
      outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://files/in/' } },
      jobName: expect.stringMatching(/^gateway-batch-job-[0-9a-f-]{36}$/),
      roleArn: ROLE,
    });
    expect(batch).toMatchObject({
      ...{ id: encodeURIComponent(arnOf('1')), object: 'batch', status: 'submitted', input_file_id: INPUT },
      endpoint: '/v1/chat/completions',
    });
    expect(batch.created_at).toBeLessThan(10_000_000_000);
  });

  test('says how its rows are written, and takes options of the service that choose no place', async () => {
    await createBatch(
      {
        model: NOVA,
        ...{ job_name: 'mine', output_data_config: { s3OutputDataConfig: { s3Uri: 's3://files/out' } } },
        provider_options: { timeoutDurationInHours: 48, roleArn: 'arn:evil', vpcConfig: {}, tags: [] },
      },
      clientOf({ 'x-gw-provider': '@sealed' }),
    );
    expect(aws.created).toEqual({
      ...{ modelId: NOVA, modelInvocationType: 'Converse', jobName: 'mine', roleArn: ROLE },
      timeoutDurationInHours: 48,
      inputDataConfig: { s3InputDataConfig: { s3Uri: 's3://files/in/rows.jsonl' } },
      outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://files/out/', s3EncryptionKeyId: 'key-1' } },
    });
  });

  test.for([
    { given: { input_file_id: encodeURIComponent('s3://other/rows.jsonl') }, param: 'input_file_id' },
    { given: { input_file_id: 's3://files/../other/x' }, param: 'input_file_id' },
    { given: { output_data_config: 's3://other/' }, param: 'output_data_config' },
    {
      given: { output_data_config: { s3OutputDataConfig: { s3Uri: 's3://files/../x/' } } },
      param: 'output_data_config',
    },
    { given: { output_data_config: 1 }, param: 'output_data_config' },
    { given: { provider_options: { output_data_config: 's3://other/' } }, param: 'output_data_config' },
    { given: { role_arn: 'arn:aws:iam::123456789012:role/admin' }, param: 'role_arn' },
    { given: { provider_options: { role_arn: 'arn:aws:iam::123456789012:role/admin' } }, param: 'role_arn' },
    { given: { model: undefined }, param: 'model' },
  ])('of a stored account cannot have $given', async ({ given, param }) => {
    await expect(createBatch(given)).rejects.toMatchObject({ status: 400, param });
    expect(aws.jobs.size).toBe(0);
  });

  test('needs the role of the account', async () => {
    const refused = createBatch({ role_arn: ROLE }, clientOf({ 'x-gw-provider': '@roleless' }));
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('aws_job_role_arn') });
  });

  test('of a call with its own credential names bucket and role', async () => {
    await expect(createBatch({}, guest())).rejects.toMatchObject({ status: 400, param: 'role_arn' });
    await createBatch({ input_file_id: 's3://mine/x.jsonl', role_arn: 'arn:mine' }, guest());
    expect(aws.created).toMatchObject({
      roleArn: 'arn:mine',
      outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://mine/' } },
    });
  });

  test('runs models of the list of the account alone', async () => {
    const listed = clientOf({ 'x-gw-provider': '@listed' });
    for (const more of [{}, { model: undefined, provider_options: { model: CLAUDE } }]) {
      await expect(createBatch(more, listed)).rejects.toMatchObject({ status: 412 });
    }
    expect(aws.jobs.size).toBe(0);
    expect(await createBatch({ model: NOVA }, listed)).toMatchObject({ status: 'submitted' });
  });

  test.for([
    { status: 'InProgress', want: { status: 'in_progress', output_file_id: null, errors: null } },
    { status: 'PartiallyCompleted', want: { status: 'partially_completed', completed_at: 1_767_326_645 } },
    {
      status: 'Completed',
      want: {
        ...{ status: 'completed', created_at: 1_767_323_045, expires_at: 1_767_409_445, finalizing_at: 1_767_326_645 },
        output_file_id: encodeURIComponent('s3://files/in/000000000007/rows.jsonl.out'),
        input_file_id: INPUT,
      },
    },
    {
      status: 'Failed',
      message: 'bad role',
      want: { status: 'failed', failed_at: 1_767_326_645, errors: { data: [{ code: 'failed', message: 'bad role' }] } },
    },
    { status: 'Stopped', want: { status: 'stopped' } },
    { status: 'Expired', want: { status: 'expired' } },
  ])('in the state $status is $want.status', async ({ status, message, want }) => {
    const times = { endTime: '2026-01-02T04:04:05Z', jobExpirationTime: '2026-01-03T03:04:05Z' };
    const id = addJob('7', { status, ...times, ...(message === undefined ? {} : { message }) });
    expect(await clientOf().batches.retrieve(id)).toMatchObject({ id, model: CLAUDE, ...want });
  });

  test('is stopped', async () => {
    const { id } = await createBatch();
    expect(await clientOf().batches.cancel(id)).toMatchObject({ id, status: 'stopping' });
    await expect(clientOf().batches.retrieve(encodeURIComponent(arnOf('99')))).rejects.toBeInstanceOf(NotFoundError);
  });

  test('is listed, page by page', async () => {
    const ids = ['1', '2', '3', '4', '5'].map((number) => addJob(number));
    const listed: string[] = [];
    for await (const { id } of clientOf().batches.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids);
    const first = await world.send('/v1/batches?limit=2', { headers: { 'x-gw-provider': '@bedrock' } });
    expect(first.json()).toMatchObject({ has_more: true, last_id: '2' });
    const next = await world.send('/v1/batches?limit=2&after=2', { headers: { 'x-gw-provider': '@bedrock' } });
    expect(next.json().data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
    for (const query of ['limit=x', `after=${encodeURIComponent(arnOf('99'))}`]) {
      expect((await world.send(`/v1/batches?${query}`, { headers: { 'x-gw-provider': '@bedrock' } })).status).toBe(400);
    }
  });

  test.for(['arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx', 'a?b', `${encodeURIComponent(arnOf('1'))}%2Fstop`])(
    'has no id %s',
    async (id) => {
      const answer = await world.send(`/v1/batches/${id}`, { headers: { 'x-gw-provider': '@bedrock' } });
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { param: 'batch_id' } }]);
      expect(aws.calls).toEqual([]);
    },
  );
});

describe('the output of a batch', () => {
  const put = (lines: readonly object[], path = '/files/in/000000000007/rows.jsonl.out'): void =>
    void aws.objects.set(path, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  const rowsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const message = (text: string) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn' },
    ...{ content: [{ type: 'text', text }], usage: { input_tokens: 3, output_tokens: 2 } },
  });

  test('is its rows in the format of OpenAI, also those that failed', async () => {
    put([
      { recordId: 'a', modelInput: {}, modelOutput: message('Hi') },
      { recordId: 'b', modelInput: {}, error: { errorCode: 400, errorMessage: 'too long' } },
      { recordId: 'c', modelInput: {}, modelOutput: { odd: true } },
    ]);
    const answer = await outputOf(addJob('7', { endTime: '2026-01-02T04:04:05Z' }));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    expect(rowsOf(answer.text)).toMatchObject([
      {
        custom_id: 'a',
        response: {
          ...{ status_code: 200, request_id: 'msg_1' },
          body: {
            ...{ object: 'chat.completion', created: 1_767_326_645, model: CLAUDE },
            choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
          },
        },
        error: null,
      },
      { custom_id: 'b', response: null, error: { code: '400', message: 'too long' } },
      { custom_id: 'c', response: null, error: { code: 'upstream_invalid_response' } },
    ]);
  });

  test.for([
    {
      rule: 'Converse',
      model: NOVA,
      output: {
        output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
        ...{ stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } },
      },
      want: { object: 'chat.completion', choices: [{ message: { content: 'Hi' } }], usage: { total_tokens: 5 } },
    },
    {
      rule: 'embeddings',
      model: 'amazon.titan-embed-text-v2:0',
      output: { embedding: [0.5, 1], inputTextTokenCount: 4 },
      want: { object: 'list', data: [{ embedding: [0.5, 1], index: 0 }], usage: { prompt_tokens: 4 } },
    },
  ])('is read from $rule', async ({ model, output, want }) => {
    put([{ recordId: 'a', modelInput: { inputText: 'x' }, modelOutput: output }]);
    const [row] = rowsOf((await outputOf(addJob('7', { modelId: model }))).text);
    expect(row).toMatchObject({ custom_id: 'a', response: { body: { ...want, model } } });
  });

  test.for([
    { rule: 'runs', facts: { status: 'InProgress' }, status: 400, want: { error: { code: 'batch_output_missing' } } },
    {
      rule: 'failed',
      facts: { status: 'Failed', message: 'bad role' },
      status: 200,
      want: { data: [{ message: 'bad role' }] },
    },
    {
      rule: 'wrote to another bucket',
      facts: { outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://other/out/' } } },
      status: 400,
      want: { error: { code: 'account_setting_refused' } },
    },
  ])('is not there where it $rule', async ({ facts, status, want }) => {
    const answer = await outputOf(addJob('7', facts));
    expect([answer.status, answer.json()]).toMatchObject([status, want]);
  });

  test('with a line that is no JSON breaks off, and is not taken for whole', async () => {
    aws.objects.set('/files/in/000000000007/rows.jsonl.out', Buffer.from(`${'{}'}\n`));
    const read = async (): Promise<string> => {
      const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@bedrock' };
      return (await fetch(`${world.url}/v1/batches/${addJob('7')}/output`, { headers })).text();
    };
    await expect(read()).rejects.toThrow();
  });
});

test('what is uploaded runs as the batch that names it, for every family', async () => {
  const families = [
    { model: CLAUDE, type: undefined, input: { anthropic_version: 'bedrock-2023-05-31' } },
    { model: NOVA, type: 'Converse', input: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] } },
    { model: 'mistral.mistral-large-2407-v1:0', type: 'Converse', input: { messages: [{ role: 'user' }] } },
    { model: 'cohere.command-text-v14', type: undefined, input: { prompt: 'user: Hi\nAssistant:' } },
  ];
  for (const { model, type, input } of families) {
    const sdk = clientOf({ 'x-gw-provider-model': model });
    const file = await sdk.files.create({ purpose: 'batch', file: await toFile(Buffer.from(chatRow('a', 'Hi')), 'r') });
    const [line = ''] = aws.objects.get(decodeURIComponent(file.id).slice(4))?.toString().split('\n') ?? [];
    expect(JSON.parse(line), model).toMatchObject({ recordId: 'a', modelInput: input });
    await createBatch({ model, input_file_id: file.id });
    expect(aws.created?.['modelInvocationType'], model).toBe(type);
  }
});

test('texts to embed are rows, too', async () => {
  const model = 'amazon.titan-embed-text-v2:0';
  const row = (input: unknown) =>
    `${JSON.stringify({ custom_id: 'a', url: '/v1/embeddings', body: { model, input } })}\n`;
  const sdk = clientOf({ 'x-gw-provider-model': model });
  const upload = async (input: unknown) =>
    sdk.files.create({ purpose: 'batch', file: await toFile(Buffer.from(row(input)), 'r') });
  const { id } = await upload('Hi');
  expect(aws.objects.get(decodeURIComponent(id).slice(4))?.toString()).toBe(
    '{"recordId":"a","modelInput":{"inputText":"Hi"}}\n',
  );
  await expect(upload(['Hi', 'Ho'])).rejects.toMatchObject({ status: 400, message: expect.stringContaining('line 1') });
  await createBatch({ model, endpoint: '/v1/embeddings', input_file_id: id });
  expect(aws.created).not.toHaveProperty('modelInvocationType');
});

describe('a fine-tuning job', () => {
  const TRAINING = encodeURIComponent('s3://files/in/train.jsonl');
  const create = (more: object = {}, sdk = clientOf()) =>
    sdk.fineTuning.jobs.create({ model: NOVA, training_file: TRAINING, suffix: 'mine', ...more });

  test('is created in the words of the service', async () => {
    const job = await create({
      validation_file: encodeURIComponent('s3://files/in/check.jsonl'),
      hyperparameters: { n_epochs: 2, learning_rate_multiplier: 0.5, batch_size: 'auto' },
      provider_options: { roleArn: 'arn:evil', customModelKmsKeyId: 'k' },
    });
    expect(aws.created).toEqual({
      ...{ baseModelIdentifier: NOVA, customModelName: 'mine', customizationType: 'FINE_TUNING', roleArn: ROLE },
      jobName: expect.stringMatching(/^gateway-finetune-/),
      trainingDataConfig: { s3Uri: 's3://files/in/train.jsonl' },
      validationDataConfig: { validators: [{ s3Uri: 's3://files/in/check.jsonl' }] },
      outputDataConfig: { s3Uri: 's3://files/in/mine/' },
      hyperParameters: { epochCount: '2', learningRate: '0.5' },
    });
    expect(job).toMatchObject({
      ...{ object: 'fine_tuning.job', status: 'running', model: NOVA, training_file: TRAINING, suffix: 'mine' },
      hyperparameters: { n_epochs: 2, learning_rate_multiplier: 0.5 },
    });
    expect(await clientOf().fineTuning.jobs.retrieve(job.id)).toMatchObject({ id: job.id, status: 'running' });
  });

  test.for([
    { given: { hyperparameters: { n_epochs: { toString: 0 } } }, param: 'hyperparameters.n_epochs' },
    { given: { training_file: 's3://other/x' }, param: 'training_file' },
    { given: { validation_file: 's3://other/x' }, param: 'validation_file' },
    { given: { output_file: 's3://other/x' }, param: 'output_file' },
    { given: { suffix: undefined }, param: 'suffix' },
    { given: { suffix: '../../x' }, param: 'suffix' },
    { given: { role_arn: 'arn:other' }, param: 'role_arn' },
    { given: { provider_options: { output_file: 's3://other/x' } }, param: 'output_file' },
  ])('of a stored account cannot have $given', async ({ given, param }) => {
    await expect(create(given)).rejects.toMatchObject({ status: 400, param });
    expect(aws.jobs.size).toBe(0);
  });

  test('tunes models of the list alone', async () => {
    const refused = create({ model: CLAUDE }, clientOf({ 'x-gw-provider': '@listed' }));
    await expect(refused).rejects.toMatchObject({ status: 412 });
  });

  test('is listed and stopped', async () => {
    const jobs = [await create(), await create(), await create()];
    const listed: string[] = [];
    for await (const { id } of clientOf().fineTuning.jobs.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(jobs.map(({ id }) => id));
    expect(await clientOf().fineTuning.jobs.cancel(jobs[0]?.id ?? '')).toMatchObject({ status: 'cancelled' });
  });

  test.for([
    { status: 'Completed', want: { status: 'succeeded', error: null } },
    { status: 'Failed', want: { status: 'failed', error: { message: 'bad data' } } },
    { status: 'Stopped', want: { status: 'cancelled' } },
  ])('in the state $status is $want.status', async ({ status, want }) => {
    const { id } = await create();
    Object.assign(aws.jobs.get(decodeURIComponent(id)) ?? {}, { status, failureMessage: 'bad data' });
    expect(await clientOf().fineTuning.jobs.retrieve(id)).toMatchObject(want);
  });
});
