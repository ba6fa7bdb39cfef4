import {
  askForUsageChunk,
  createOpenAiChatDecoder,
  createOpenAiCompletionDecoder,
  type OpenAiDialect,
  readChatAnswer,
  readCompletionAnswer,
  withContentBlocks,
} from '../../wire/openai/index.ts';
import type { AnswerRule, BodyHook, Call, Endpoint, RequestTable, StreamRule } from '../contract.ts';
import { pathText, requireModel } from '../engine/index.ts';
import { CHAT_CLAMP, type ClampChanges, COMPLETION_CLAMP, mergeClamp } from './bounds.ts';
import { editMessages, foldDeveloper, withoutMembers } from './messages.ts';
import { type RemoteFile, remoteFiles } from './remote-files.ts';

/** Differences of an endpoint from OpenAI's own. */
export interface EndpointRow {
  readonly path?: Endpoint['path'];
  /** `account`: the account, the path or the upstream decides which model runs, and a call need not name one. */
  readonly model?: 'account';
  readonly rename?: RequestTable['rename'];
  readonly drop?: readonly string[];
  readonly clamp?: ClampChanges;
  readonly inject?: RequestTable['inject'];
  readonly only?: readonly string[];
  readonly elsewhere?: readonly string[];
  readonly hooks?: readonly BodyHook[];
  /** Repairs of answers; without it answers and streams are passed on unchanged but for the `provider` member. */
  readonly dialect?: OpenAiDialect;
  /** Events are separated by a single line end. */
  readonly framing?: 'sse-lines';
  readonly answer?: AnswerRule;
  readonly lacks?: Endpoint['lacks'];
  readonly names?: Endpoint['names'];
  /** Of chats: files of messages in another format that are not in the body. Absent: it takes none. */
  readonly files?: RemoteFile;
}

/** Chat messages for upstreams other than OpenAI. Content blocks are an extension of the gateway's answers that clients send back. */
const plainMessages = editMessages(foldDeveloper, withoutMembers('content_blocks'));

/** Chat messages for upstreams that accept every role. */
export const openAiMessages = editMessages(withoutMembers('content_blocks'));

/** Chat completions of an upstream of the OpenAI format. */
export function chatEndpoint(row: EndpointRow & { readonly messages?: BodyHook }): Endpoint {
  const { messages = plainMessages, dialect } = row;
  return {
    method: 'POST',
    path: row.path ?? '/chat/completions',
    request: { kind: 'table', table: tableOf(row, [remoteFiles(row.files), messages], CHAT_CLAMP) },
    answer: answerOf(row, { kind: 'tag', extend: withContentBlocks }, readChatAnswer),
    stream: streamOf(row, (call) => createOpenAiChatDecoder(call, dialect)),
    ...usageRequestOf(row),
    ...(row.lacks === undefined ? {} : { lacks: row.lacks }),
    ...(row.names === undefined ? {} : { names: row.names }),
  };
}

/** Text completions. */
export function completionEndpoint(row: EndpointRow): Endpoint {
  return {
    method: 'POST',
    path: row.path ?? '/completions',
    request: { kind: 'table', table: tableOf(row, [], COMPLETION_CLAMP) },
    answer: answerOf(row, { kind: 'tag' }, readCompletionAnswer),
    stream: streamOf(row, (call) => createOpenAiCompletionDecoder(call, row.dialect)),
    ...usageRequestOf(row),
  };
}

/** Embeddings. */
export function embeddingsEndpoint(row: EndpointRow): Endpoint {
  return {
    method: 'POST',
    path: row.path ?? '/embeddings',
    request: { kind: 'table', table: tableOf(row, [], {}) },
    answer: row.answer ?? { kind: 'tag' },
  };
}

type ResponsesId = 'createModelResponse' | 'getModelResponse' | 'deleteModelResponse' | 'listResponseInputItems';

/** The path of the responses API: `below` is empty for the collection, else it begins with the id of a response. */
export type ResponsesPath = (call: Call, below: string) => string;

/** The stateful responses API where the upstream has it: bytes both ways. */
export function responsesEndpoints(
  path: ResponsesPath,
  request: RequestTable = {},
): Readonly<Record<ResponsesId, Endpoint>> {
  const item = (call: Call): string => `/${pathText(call.route['response_id'] ?? '', 'response_id')}`;
  const bytes = { answer: { kind: 'relay' } } as const;
  const body = { kind: 'none' } as const;
  const stream = { kind: 'relay' } as const;
  return {
    createModelResponse: {
      method: 'POST',
      path: (call) => path(call, ''),
      request: { kind: 'table', table: request },
      ...bytes,
      stream,
    },
    getModelResponse: { method: 'GET', path: (call) => path(call, item(call)), request: body, ...bytes, stream },
    deleteModelResponse: { method: 'DELETE', path: (call) => path(call, item(call)), request: body, ...bytes },
    listResponseInputItems: {
      method: 'GET',
      path: (call) => path(call, `${item(call)}/input_items`),
      request: body,
      ...bytes,
    },
  };
}

/**
 * The realtime API, which is spoken over a WebSocket: a path with a query. The model of the query is the one that the call asks
 * for, once.
 */
export function realtimeEndpoint(path: (call: Call, query: string) => string): Endpoint {
  return {
    method: 'GET',
    path: (call) => {
      const query = new URLSearchParams(call.query);
      if (call.model === '') query.delete('model');
      else query.set('model', call.model);
      return path(call, query.toString());
    },
    request: { kind: 'none' },
    answer: { kind: 'relay' },
  };
}

/** The usual place of the realtime API. */
export const realtimeBelow = (prefix: string): Endpoint =>
  realtimeEndpoint((_call, query) => `${prefix}/realtime${query === '' ? '' : `?${query}`}`);

/** The usual place of the responses API; queries (`include`, `stream`, pages) belong to what is below the collection. */
export function responsesBelow(prefix: string): ResponsesPath {
  return (call, below) => {
    const query = below === '' || call.query === '' ? '' : `?${call.query}`;
    return `${prefix}/responses${below}${query}`;
  };
}

/** An endpoint whose answers and streams are OpenAI's own bytes. */
export function relayedEndpoint(endpoint: Endpoint): Endpoint {
  const { stream, ...rest } = endpoint;
  return { ...rest, answer: { kind: 'relay' }, ...(stream === undefined ? {} : { stream: { kind: 'relay' } }) };
}

/** No model of the gateway's choice is put in: its price and quality are the client's business. */
const modelNamed: BodyHook = (params, call) => {
  requireModel(call);
  return params;
};

/** The table of an endpoint: what its row says over what OpenAI accepts. */
export function tableOf(
  row: EndpointRow,
  hooks: readonly BodyHook[],
  clamp: NonNullable<RequestTable['clamp']>,
): RequestTable {
  const { rename = {}, drop = [], inject = {}, only, elsewhere = [], model } = row;
  const named = model === 'account' ? [] : [modelNamed];
  return {
    rename,
    drop,
    elsewhere,
    clamp: mergeClamp(clamp, row.clamp),
    inject,
    hooks: [...named, ...hooks, ...(row.hooks ?? [])],
    ...(only === undefined ? {} : { only }),
  };
}

function answerOf(row: EndpointRow, plain: AnswerRule, read: typeof readChatAnswer): AnswerRule {
  const { dialect } = row;
  if (row.answer !== undefined) return row.answer;
  return dialect === undefined ? plain : { kind: 'read', read: (body, call) => read(body, call, dialect) };
}

/** Upstreams that do not take `stream_options` cannot be asked for the usage of a stream. */
function usageRequestOf({ drop = [], only }: EndpointRow): Pick<Endpoint, 'askForUsage'> {
  const takesOptions = !drop.includes('stream_options') && (only?.includes('stream_options') ?? true);
  return takesOptions ? { askForUsage: askForUsageChunk } : {};
}

function streamOf({ dialect, framing }: EndpointRow, open: (StreamRule & { kind: 'tag' })['open']): StreamRule {
  if (dialect === undefined && framing === undefined) return { kind: 'tag', open };
  return { kind: 'decode', framing: framing ?? 'sse', open };
}
