/** Files, batches and fine-tuning jobs where the upstream has those of OpenAI: bytes both ways. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { AnswerRule, BodyHook, Call, Endpoint, EndpointId, RequestTable } from '../contract.ts';
import { pathText } from '../engine/index.ts';

/** Path and query of a resource: `below` begins with the name of the collection, `query` is that of the client. */
export type ResourcePath = (call: Call, below: string, query: string) => string;

export interface ResourceOptions {
  /** How answers of JSON get to the client; default: with the name of the provider. */
  readonly answer?: AnswerRule;
  /** Changes of the body that creates a batch, or a fine-tuning job. */
  readonly hooks?: readonly BodyHook[];
  /** Calls that the upstream does not offer at all. */
  readonly supports?: Endpoint['supports'];
}

const NOTHING = { kind: 'none' } as const;

/** The usual place of these resources. */
export const resourcesBelow =
  (prefix: string): ResourcePath =>
  (_call, below, query) =>
    `${prefix}${below}${query === '' ? '' : `?${query}`}`;

const idOf = (call: Call, name: string): string => pathText(call.route[name] ?? '', name);

type FileId = Extract<EndpointId, 'createFile' | 'listFiles' | 'getFile' | 'getFileContent' | 'deleteFile'>;

/** Files. A form goes through as it comes, and so does the content of a file. */
export function fileEndpoints(path: ResourcePath, options: ResourceOptions = {}): Readonly<Record<FileId, Endpoint>> {
  const { answer = { kind: 'tag' } } = options;
  const shared = { answer, ...supportsOf(options) };
  const item = (call: Call): string => `/files/${idOf(call, 'file_id')}`;
  return {
    createFile: { method: 'POST', path: at(path, '/files'), request: { kind: 'form', table: {} }, ...shared },
    listFiles: { method: 'GET', path: at(path, '/files'), request: NOTHING, ...shared },
    getFile: { method: 'GET', path: (call) => path(call, item(call), call.query), request: NOTHING, ...shared },
    deleteFile: { method: 'DELETE', path: (call) => path(call, item(call), call.query), request: NOTHING, ...shared },
    getFileContent: {
      method: 'GET',
      path: (call) => path(call, `${item(call)}/content`, call.query),
      request: NOTHING,
      ...shared,
      answer: { kind: 'binary' },
    },
  };
}

type BatchId = Extract<EndpointId, 'createBatch' | 'listBatches' | 'getBatch' | 'cancelBatch'>;

/** Batches. */
export function batchEndpoints(path: ResourcePath, options: ResourceOptions = {}): Readonly<Record<BatchId, Endpoint>> {
  const { answer = { kind: 'tag' }, hooks = [] } = options;
  const shared = { answer, ...supportsOf(options) };
  const item = (call: Call): string => `/batches/${idOf(call, 'batch_id')}`;
  const table: RequestTable = { inject: { completion_window: '24h' }, hooks: [withProviderOptions, ...hooks] };
  return {
    createBatch: { method: 'POST', path: at(path, '/batches'), request: { kind: 'table', table }, ...shared },
    listBatches: { method: 'GET', path: at(path, '/batches'), request: NOTHING, ...shared },
    getBatch: { method: 'GET', path: (call) => path(call, item(call), call.query), request: NOTHING, ...shared },
    cancelBatch: {
      method: 'POST',
      path: (call) => path(call, `${item(call)}/cancel`, call.query),
      request: NOTHING,
      ...shared,
    },
  };
}

type FinetuneId = Extract<
  EndpointId,
  | 'createFinetune'
  | 'listFinetunes'
  | 'getFinetune'
  | 'listFinetuneEvents'
  | 'listFinetuneCheckpoints'
  | 'cancelFinetune'
>;

/** Fine-tuning jobs. */
export function finetuneEndpoints(
  path: ResourcePath,
  options: ResourceOptions = {},
): Readonly<Record<FinetuneId, Endpoint>> {
  const { answer = { kind: 'tag' }, hooks = [] } = options;
  const shared = { answer, ...supportsOf(options) };
  const jobs = '/fine_tuning/jobs';
  const ofJob = (method: 'GET' | 'POST', below: string): Endpoint => ({
    method,
    path: (call) => path(call, `${jobs}/${idOf(call, 'job_id')}${below}`, call.query),
    request: NOTHING,
    ...shared,
  });
  const table: RequestTable = { hooks: [withProviderOptions, ...hooks] };
  return {
    createFinetune: { method: 'POST', path: at(path, jobs), request: { kind: 'table', table }, ...shared },
    listFinetunes: { method: 'GET', path: at(path, jobs), request: NOTHING, ...shared },
    getFinetune: ofJob('GET', ''),
    listFinetuneEvents: ofJob('GET', '/events'),
    listFinetuneCheckpoints: ofJob('GET', '/checkpoints'),
    cancelFinetune: ofJob('POST', '/cancel'),
  };
}

const at =
  (path: ResourcePath, below: string) =>
  (call: Call): string =>
    path(call, below, call.query);

const supportsOf = ({ supports }: ResourceOptions): Pick<Endpoint, 'supports'> =>
  supports === undefined ? {} : { supports };

/** What clients set aside for the provider belongs to the body itself; its own members win. */
export const withProviderOptions: BodyHook = (params) => {
  const { provider_options: options, ...own } = params;
  if (options === undefined) return params;
  if (isObject(options)) return { ...options, ...own };
  throw new AppError('PARAMETER_INVALID', { param: 'provider_options', detail: 'provider_options must be an object' });
};
