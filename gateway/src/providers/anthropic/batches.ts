/** Batches of OpenAI's API as message batches of the vendor. Source: Anthropic API, "Message Batches". */
import { Readable } from 'node:stream';
import { ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  type BatchEndpoint,
  fromMessageBatch,
  fromMessageBatches,
  MESSAGES_ENDPOINT,
  toAnthropicBody,
} from '../../wire/anthropic/index.ts';
import { atRow, type BatchRow, invalidRow, type RowPlace, readRows, toRow } from '../../wire/batch-rows/index.ts';
import { textAt } from '../../wire/json/json.ts';
import { taking } from '../../wire/params/params.ts';
import type {
  AnswerRule,
  Call,
  Endpoint,
  JsonObject,
  Procedure,
  ProcedureTools,
  StreamedBody,
  WireContext,
} from '../contract.ts';
import { jsonOfStep, namePart, pathSegment } from '../engine/index.ts';
import { withProviderOptions } from '../openai-like/index.ts';
import { batchEndpoint } from './batch-endpoint.ts';
import { batchId } from './batch-id.ts';
import { OF_HEADERS } from './endpoints.ts';
import { listQuery } from './files.ts';

const NOTHING = { kind: 'none' } as const;

const answered = (read: (body: unknown) => Result<object, string>): AnswerRule => ({
  kind: 'read',
  read(body, { provider }) {
    const batch = read(body);
    return batch.ok ? ok({ ...batch.value, provider }) : batch;
  },
});

export const batchPath = (call: Call): string => `/messages/batches/${batchId(call)}`;

export const listBatches: Endpoint = {
  method: 'GET',
  path: (call) => `/messages/batches${listQuery(call)}`,
  request: NOTHING,
  answer: answered(fromMessageBatches),
};

export const getBatch: Endpoint = {
  method: 'GET',
  path: batchPath,
  request: NOTHING,
  answer: answered(fromMessageBatch),
};

export const cancelBatch: Endpoint = {
  method: 'POST',
  path: (call) => `${batchPath(call)}/cancel`,
  request: NOTHING,
  answer: answered(fromMessageBatch),
};

/** The rows of a file, or of the request itself, are sent on as the requests of one batch while they arrive. */
export const createBatch: Procedure = {
  offer: 'mapped',
  takes: taking(['input_file_id', 'endpoint', 'completion_window', 'requests', 'provider_options', ...OF_HEADERS]),
  checksModels: true,
  async run(call, tools) {
    const params = withProviderOptions(call.params, call);
    const endpoint = batchEndpoint(params['endpoint'], call);
    checkWindow(params, call);
    const { file, body } = await inputOf(params, { call, tools, endpoint });
    const answer = await tools.ask({
      method: 'POST',
      url: `${tools.baseUrl()}/messages/batches`,
      headers: { 'content-type': 'application/json' },
      body,
    });
    const batch = fromMessageBatch(jsonOfStep(answer, call));
    if (!batch.ok) throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
    return { kind: 'json', value: { ...batch.value, endpoint, input_file_id: file } };
  },
};

/** Throws PARAMETER_INVALID. */
function checkWindow({ completion_window: window = '24h' }: JsonObject, { provider }: Call): void {
  if (window !== '24h') {
    throw new AppError('PARAMETER_INVALID', {
      ...{ param: 'completion_window', provider },
      detail: `completion_window is 24h for batches of ${provider}`,
    });
  }
}

/** Files that the gateway keeps; the vendor gives back no file that was uploaded. */
const OWN_FILE = /^gw_file_/;

interface Input {
  readonly file: string | null;
  readonly body: StreamedBody;
}

async function inputOf(params: JsonObject, options: Omit<BodyOptions, 'param'>): Promise<Input> {
  const { tools } = options;
  const { requests } = params;
  const file = textAt(params, 'input_file_id');
  if (Array.isArray(requests) && file === undefined) {
    return { file: null, body: bodyOf(() => rowsOfList(requests), { ...options, param: 'requests' }) };
  }
  if (file === undefined || file === '' || requests !== undefined) {
    throw new AppError('PARAMETER_INVALID', {
      param: 'input_file_id',
      detail: 'A batch has rows: in a file that input_file_id names, or in the list requests',
    });
  }
  const content = await contentOf(file, tools);
  const param = 'input_file_id';
  const rows = readRows(content, { param, json: tools.json, memory: tools.memory });
  return { file, body: { ...bodyOf(() => rows, { ...options, param }), replayable: false } };
}

async function contentOf(file: string, tools: ProcedureTools): Promise<AsyncIterable<Buffer>> {
  if (OWN_FILE.test(file)) return tools.ownFile(file);
  const url = `${tools.baseUrl()}/files/${pathSegment(file, 'input_file_id')}/content`;
  return (await tools.open({ method: 'GET', url })).content;
}

function* rowsOfList(requests: readonly unknown[]): Generator<BatchRow> {
  for (const [index, value] of requests.entries()) {
    yield toRow(value, { place: `row ${index + 1}`, param: 'requests' });
  }
}

interface BodyOptions {
  readonly endpoint: BatchEndpoint;
  readonly call: Call;
  readonly tools: ProcedureTools;
  readonly param: string;
}

const bodyOf = (rows: () => AsyncIterable<BatchRow> | Iterable<BatchRow>, options: BodyOptions): StreamedBody => ({
  bytes: undefined,
  replayable: true,
  open: () => Readable.from(requestsOf(rows(), options), { objectMode: false }),
});

/** `{"requests": [{custom_id, params}]}`, piece by piece. */
async function* requestsOf(
  rows: AsyncIterable<BatchRow> | Iterable<BatchRow>,
  options: BodyOptions,
): AsyncGenerator<Buffer> {
  let before = '{"requests":[';
  for await (const row of rows) {
    const request = { custom_id: row.customId, params: messageOf(row, options) };
    yield Buffer.from(before + JSON.stringify(request));
    before = ',\n';
  }
  const { param } = options;
  if (before !== ',\n') throw new AppError('PARAMETER_INVALID', { param, detail: `${param} has no rows` });
  yield Buffer.from(']}');
}

/** Throws what is wrong with the row, with its place. */
function messageOf(row: BatchRow, { endpoint, call, tools, param }: BodyOptions): object {
  const { place, url = endpoint, body } = row;
  const at: RowPlace = { place, param };
  if (url !== endpoint) throw refusedUrl(url, { at, endpoint, call });
  if (body['stream'] === true) throw invalidRow(at, 'a row of a batch cannot be a stream');
  const { provider, strict, newId } = call;
  const ctx: WireContext = {
    ...{ provider, strict, newId, params: body, model: textAt(body, 'model') ?? '' },
    now: () => call.now(),
  };
  try {
    tools.checkModel(body);
    if (endpoint === MESSAGES_ENDPOINT) return body;
    const message = toAnthropicBody(body, ctx);
    if (!message.ok) throw message.error;
    return message.value;
  } catch (error) {
    throw atRow(namePart(error, { params: body, provider }), at);
  }
}

interface OtherUrl {
  readonly at: RowPlace;
  readonly endpoint: BatchEndpoint;
  readonly call: Call;
}

function refusedUrl(url: string, { at, endpoint, call }: OtherUrl): unknown {
  try {
    batchEndpoint(url, call);
    return invalidRow(at, `url must be ${endpoint}, the endpoint of the batch`);
  } catch (error) {
    return atRow(error, at);
  }
}
