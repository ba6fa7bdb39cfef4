/** Rows of batches: chat completions and embeddings in the words of the model, and back. */

import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { scalarText } from '../../../lib/scalar-text.ts';
import { atRow, type BatchRow, invalidRow, type ReadLine, type RowError } from '../../../wire/batch-rows/index.ts';
import { fromPredict, toPredictBody } from '../../../wire/gemini/index.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import type { OutputLine } from '../../clouds/objects/index.ts';
import type { Call, JsonObject, ProcedureTools } from '../../contract.ts';
import { namePart, rowCall } from '../../engine/index.ts';
import { FAMILIES } from '../families/index.ts';
import type { NamedModel } from './named-model.ts';

export const CHAT = '/v1/chat/completions';
export const EMBEDDINGS = '/v1/embeddings';

export interface RowTarget {
  readonly call: Call;
  readonly tools: ProcedureTools;
  readonly model: NamedModel;
  readonly param: string;
  /** Of rows that name no url, and of all that do. */
  readonly endpoint: string;
}

/** A line of the input of a job. Throws what is wrong with the row, with its place. */
export function toInstance(row: BatchRow, target: RowTarget): JsonObject {
  const { place, customId, body, url = target.endpoint } = row;
  const { call, tools, model, param, endpoint } = target;
  const at = { place, param };
  if (url !== endpoint) throw invalidRow(at, `url is ${endpoint}`);
  if (body['stream'] === true) throw invalidRow(at, 'a row of a batch cannot be a stream');
  const params = { ...body, model: body['model'] ?? model.name };
  try {
    tools.checkModel(params);
    return endpoint === EMBEDDINGS
      ? { ...toText(params), requestId: customId }
      : { request: toChat(params, target), requestId: customId };
  } catch (error) {
    throw atRow(namePart(error, { params: body, provider: call.provider }), at);
  }
}

/** A line of training data. Throws as above. */
export function toTraining(line: ReadLine, target: RowTarget): object {
  const { value } = line;
  if (!isObject(value)) throw invalidRow(line, 'it is not a JSON object, has a name twice, or is nested too deep');
  if (!Array.isArray(value['messages'])) throw invalidRow(line, 'messages must be a list');
  try {
    return toChat(value, target);
  } catch (error) {
    throw atRow(namePart(error, { params: value, provider: target.call.provider }), line);
  }
}

function toChat(given: JsonObject, { call, model }: RowTarget): JsonObject {
  const params = { ...given, model: model.name };
  const row = rowCall(call, { endpoint: 'chatComplete', params, model: model.name });
  const body = FAMILIES[model.family].write(params, row, model.name);
  if (!body.ok) throw body.error;
  const { model: _, ...request } = { ...body.value } as { readonly model?: unknown }; // the job names it
  return request;
}

/** One text, as the service embeds one for each line. */
function toText(params: JsonObject): JsonObject {
  const body = toPredictBody(params);
  if (!body.ok) throw new AppError('PARAMETER_INVALID', { param: 'input', detail: body.error });
  const [instance, ...others] = objectsAt(body.value, 'instances');
  if (instance === undefined || others.length > 0) {
    throw new AppError('PARAMETER_INVALID', { param: 'input', detail: 'input must be one text' });
  }
  return instance;
}

/** A line of the output of a job. The error says why a line cannot be read. */
export function fromInstance(line: unknown, call: Call, model: NamedModel): Result<OutputLine, string> {
  const customId = isObject(line)
    ? (textAt(line, 'requestId') ?? textAt(objectAt(line, 'instance'), 'requestId') ?? textAt(line, 'custom_id'))
    : undefined;
  if (!isObject(line) || customId === undefined) return err('it has no requestId');
  const failed = (error: RowError): Result<OutputLine, string> => ok({ customId, id: undefined, outcome: { error } });
  const { status } = line;
  if (status !== undefined && status !== null && status !== '') return failed(problemOf(status));
  const response = objectAt(line, 'response') ?? objectAt(line, 'prediction');
  const body = fromAnswer({ line, response }, call, model);
  if (!body.ok) return failed({ code: 'upstream_invalid_response', message: body.error });
  const id = textAt(response, 'responseId') ?? textAt(response, 'id');
  return ok({ customId, id, outcome: { body: body.value, requestId: id ?? null } });
}

interface Answered {
  readonly line: JsonObject;
  readonly response: JsonObject | undefined;
}

function fromAnswer({ line, response }: Answered, call: Call, model: NamedModel): Result<object, string> {
  const row = rowCall(call, { endpoint: 'chatComplete', params: {}, model: model.name });
  const named = (read: Result<object, string>): Result<object, string> =>
    read.ok ? ok({ ...read.value, model: model.name }) : read;
  if (Array.isArray(line['predictions'])) return named(fromPredict(line, row));
  return response === undefined ? err('it has no response') : named(FAMILIES[model.family].read(response, row));
}

/** A text, in which there may be JSON, or an object. */
function problemOf(status: unknown): RowError {
  const read = typeof status === 'string' ? parsed(status) : status;
  const error = isObject(read) ? (objectAt(read, 'error') ?? read) : undefined;
  return {
    code: scalarText(error?.['status'] ?? error?.['code']) || 'failed',
    message: textAt(error, 'message') ?? (typeof status === 'string' ? status : 'The request failed'),
  };
}

function parsed(text: string): unknown {
  const start = text.indexOf('{');
  try {
    return start < 0 ? undefined : JSON.parse(text.slice(start));
  } catch {
    return undefined; // it is a text
  }
}
