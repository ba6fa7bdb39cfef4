/** Rows of batches: chat completions and embeddings in the words of the model, and back. */

import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { scalarText } from '../../../lib/scalar-text.ts';
import { fromAnthropicAnswer, toAnthropicBody } from '../../../wire/anthropic/index.ts';
import { atRow, type BatchRow, invalidRow, type RowError } from '../../../wire/batch-rows/index.ts';
import {
  fromConverseAnswer,
  fromLegacyChatAnswer,
  isLegacyChat,
  remoteUrlsOf,
  toInvokeMessages,
} from '../../../wire/bedrock/index.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import type { OutputLine } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, ProcedureTools } from '../../contract.ts';
import { namePart, rowCall } from '../../engine/index.ts';
import { chatComplete } from '../chat.ts';
import { betasOf } from '../converse-target.ts';
import { embed } from '../embed.ts';
import type { ModelFacts } from '../model.ts';

export const CHAT = '/v1/chat/completions';
export const EMBEDDINGS = '/v1/embeddings';

export type RowKind = typeof CHAT | typeof EMBEDDINGS;

/** How the service reads rows. Source: CreateModelInvocationJob, `modelInvocationType`. */
export function invocationType({ family, foundation }: ModelFacts, kind: string): 'InvokeModel' | 'Converse' {
  return kind === EMBEDDINGS || family === 'anthropic' || isLegacyChat(foundation) ? 'InvokeModel' : 'Converse';
}

export interface RowTarget {
  readonly call: Call;
  readonly tools: ProcedureTools;
  readonly model: ModelFacts;
  readonly param: string;
}

export const kindOf = ({ place, url = CHAT }: BatchRow, param: string): RowKind => {
  if (url === CHAT || url === EMBEDDINGS) return url;
  throw invalidRow({ place, param }, `url is ${CHAT} or ${EMBEDDINGS}`);
};

/** `{recordId, modelInput}`. Rejects with what is wrong with the row, with its place. */
export async function toRecord(row: BatchRow, kind: RowKind, target: RowTarget): Promise<JsonObject> {
  const { place, customId, body } = row;
  const { call, tools, model, param } = target;
  const at = { place, param };
  if (body['stream'] === true) throw invalidRow(at, 'a row of a batch cannot be a stream');
  // The job names one model for all rows: what a row names beside it is not to be an account's way around its list.
  const params = { ...body, model: body['model'] ?? model.id };
  try {
    tools.checkModel(params);
    const input = kind === EMBEDDINGS ? await toEmbedding(params, target) : await toChat(params, target);
    return { recordId: customId, modelInput: input };
  } catch (error) {
    throw atRow(namePart(error, { params: body, provider: call.provider }), at);
  }
}

function asCall(params: JsonObject, endpoint: 'chatComplete' | 'embed', { call, model }: RowTarget): Call {
  return rowCall(call, { endpoint, params: { ...params, model: model.id }, model: model.id, without: OF_UPLOAD });
}

/** It may name the model of the upload itself. */
const OF_UPLOAD = ['aws_bedrock_model'];

async function toChat(params: JsonObject, target: RowTarget): Promise<object> {
  const call = asCall(params, 'chatComplete', target);
  if (remoteUrlsOf(params).length > 0) {
    throw new AppError('CONTENT_UNSUPPORTED', { param: 'messages', detail: 'A row holds files as data, not by URL' });
  }
  if (target.model.family !== 'anthropic') return written(chatComplete, call, target);
  const body = toAnthropicBody(params, call);
  if (!body.ok) throw body.error;
  return toInvokeMessages(body.value, { anthropicBeta: betasOf(call) });
}

async function toEmbedding(params: JsonObject, target: RowTarget): Promise<object> {
  const { input } = params;
  if (Array.isArray(input) && input.length > 1 && target.model.family !== 'cohere') {
    throw new AppError('PARAMETER_INVALID', { param: 'input', detail: 'input must be one text for this model' });
  }
  const call = asCall(params, 'embed', target);
  if (embed.supports?.(call) === false) {
    throw new AppError('OPERATION_UNSUPPORTED', { param: 'model', detail: 'The model makes no embeddings' });
  }
  return written(embed, call, target);
}

async function written({ request }: typeof embed, call: Call, { tools }: RowTarget): Promise<object> {
  if (request.kind !== 'write') throw new AppError('INTERNAL');
  const body = await request.write(call.params, call, { services: tools.services, signal: tools.signal });
  if (!body.ok) throw body.error;
  return body.value;
}

/** `{recordId, modelInput, modelOutput}`, or `{recordId, error}`. The error says why a line cannot be read. */
export function fromRecord(line: unknown, call: Call, modelId: string): Result<OutputLine, string> {
  const customId = isObject(line) ? textAt(line, 'recordId') : undefined;
  if (!isObject(line) || customId === undefined) return err('it has no recordId');
  const output = objectAt(line, 'modelOutput');
  if (output === undefined) return ok({ customId, outcome: { error: problemOf(line['error']) } });
  const body = fromOutput(output, { call, modelId, input: objectAt(line, 'modelInput') });
  if (!body.ok) return ok({ customId, outcome: { error: { code: 'upstream_invalid_response', message: body.error } } });
  return ok({ customId, outcome: { body: body.value, requestId: textAt(output, 'id') ?? null } });
}

interface OutputOf {
  readonly call: Call;
  readonly modelId: string;
  readonly input: JsonObject | undefined;
}

function fromOutput(output: JsonObject, { call, modelId, input }: OutputOf): Result<object, string> {
  const ctx = rowCall(call, { endpoint: 'chatComplete', params: {}, model: modelId, without: OF_UPLOAD });
  if (objectAt(output, 'output') !== undefined) return withModel(fromConverseAnswer(output, ctx), modelId);
  if (output['type'] === 'message') return withModel(fromAnthropicAnswer(output, ctx), modelId);
  if (output['embedding'] !== undefined || output['embeddings'] !== undefined) {
    const params = { input: input?.['inputText'] ?? input?.['texts'] ?? '' };
    const row = rowCall(call, { endpoint: 'embed', params, model: modelId, without: OF_UPLOAD });
    if (embed.answer.kind !== 'read') throw new AppError('INTERNAL');
    return withModel(embed.answer.read(output, row, { status: 200, headers: {} }), modelId);
  }
  return withModel(fromLegacyChatAnswer(output, ctx, {}), modelId);
}

/** The name that the batch has for it. */
const withModel = (read: Result<object, string>, model: string): Result<object, string> =>
  read.ok ? ok({ ...read.value, model }) : read;

function problemOf(error: unknown): RowError {
  if (typeof error === 'string') return { code: 'failed', message: error };
  const given = isObject(error) ? error : {};
  return {
    code: scalarText(given['errorCode'] ?? given['code']) || 'failed',
    message: textAt(given, 'errorMessage') ?? textAt(given, 'message') ?? 'The request failed',
  };
}
