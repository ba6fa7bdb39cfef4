import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import {
  appendMember,
  type Member,
  type ModelsBody,
  memberOf,
  modelsBody,
  parseJsonObject,
} from '../../wire/openai/index.ts';
import type { AnswerHead, AnswerRule, Call, Endpoint, JsonObject, ModelPage, Provider } from '../contract.ts';
import { invalidAnswer } from './error-fields.ts';

export interface UpstreamAnswer {
  readonly head: AnswerHead;
  readonly bytes: Buffer;
  /** Limits of an answer that is parsed. */
  readonly json?: JsonLimits;
}

// A memo of a pure function, keyed by the providers, which are constants of the program.
const tags = new WeakMap<Provider, Member>();

/** The `provider` member that is put on answers. */
export function providerTag(provider: Provider): Member {
  const known = tags.get(provider) ?? memberOf('provider', provider.id);
  tags.set(provider, known);
  return known;
}

/**
 * A good answer in the format of the endpoint, as bytes. Throws AppError `UPSTREAM_INVALID_RESPONSE` when it cannot be read.
 */
export function readAnswer(provider: Provider, endpoint: Endpoint, call: Call, answer: UpstreamAnswer): Buffer {
  const rule = endpoint.answer;
  if (rule.kind === 'relay' || rule.kind === 'binary') return answer.bytes;
  if (rule.kind === 'tag') return tagAnswer(provider, rule, call, answer);
  const read =
    rule.readImage !== undefined && isImage(answer.head)
      ? rule.readImage(answer.bytes, call)
      : rule.read(parseBody(provider, answer), call, answer.head);
  if (!read.ok) throw invalid(provider, answer.bytes, read.error);
  return Buffer.from(JSON.stringify(read.value));
}

const isImage = ({ headers }: AnswerHead): boolean =>
  String(headers['content-type']).toLowerCase().startsWith('image/');

function tagAnswer(
  provider: Provider,
  rule: AnswerRule & { kind: 'tag' },
  call: Call,
  { bytes, json }: UpstreamAnswer,
): Buffer {
  const tag = providerTag(provider);
  if (call.strict || rule.extend === undefined) return appendMember(bytes, tag);
  const body = parseJsonObject(bytes, json);
  const extended = body === undefined ? undefined : rule.extend(body, call);
  if (extended === body || extended === undefined) return appendMember(bytes, tag);
  return Buffer.from(JSON.stringify({ ...extended, [tag.name]: tag.value }));
}

/** A page of models; `page` is its path, as the page before named it, undefined for the first. */
export interface ModelsAnswer {
  readonly bytes: Buffer;
  readonly page: string | undefined;
  readonly json?: JsonLimits;
}

/** One page of the provider's models in the normal form. Throws as `readAnswer`. */
export function readModels(provider: Provider, call: Call, { bytes, page, json }: ModelsAnswer): ModelPage {
  const body = parseBody(provider, { bytes, json });
  const own = provider.models?.read?.(body, call, page);
  if (own === undefined) {
    const data = modelsOf(body);
    if (data === undefined) throw invalid(provider, bytes, 'no list of models');
    return { data };
  }
  if (!own.ok) throw invalid(provider, bytes, own.error);
  return own.value;
}

/** The answer to a call for models: the entries of all pages. */
export function modelListBody(provider: Provider, data: readonly JsonObject[]): ModelsBody {
  return modelsBody(provider.id, data);
}

/** The list of the OpenAI format, or a bare array. */
function modelsOf(body: unknown): readonly JsonObject[] | undefined {
  const list: unknown = isObject(body) ? body['data'] : body;
  return Array.isArray(list) ? list.filter(isObject) : undefined;
}

interface Readable {
  readonly bytes: Buffer;
  readonly json?: JsonLimits | undefined;
}

function parseBody(provider: Provider, { bytes, json }: Readable): unknown {
  try {
    return readJson(bytes, json);
  } catch {
    throw invalid(provider, bytes, 'the body is not JSON, or too deep or too large to be read'); // the parser's message quotes the body
  }
}

const invalid = (provider: Provider, bytes: Buffer, cause: string): AppError =>
  new AppError('UPSTREAM_INVALID_RESPONSE', {
    detail: invalidAnswer(provider.id, bytes).message,
    provider: provider.id,
    cause,
  });
