import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { countTokens, embedText, toBase64 } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readList, readObject, readObjects, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { refuseInvalid } from './errors.ts';

const DEFAULT_DIMENSIONS = 1_536;
const DIMENSIONS: readonly unknown[] = [256, 512, 1_024, 1_536];
const MAX_INPUTS = 96; // bound of `texts` and `inputs` in the API
const INPUT_TYPES: readonly unknown[] = ['search_document', 'search_query', 'classification', 'clustering', 'image'];
const FIELDS = ['texts', 'images', 'inputs'] as const;
const MAX_BYTE = 127;
const BITS = 8;

type Vector = readonly number[];

const ENCODERS: ReadonlyMap<unknown, (vector: Float32Array) => Vector | string> = new Map<
  unknown,
  (vector: Float32Array) => Vector | string
>([
  ['float', (vector) => Array.from(vector)],
  ['int8', toBytes],
  ['uint8', (vector) => toBytes(vector).map((value) => value + MAX_BYTE + 1)],
  ['binary', (vector) => toBits(vector).map((byte) => byte - (MAX_BYTE + 1))],
  ['ubinary', toBits],
  ['base64', toBase64],
]);

interface Input {
  /** What the vector is made of. */
  readonly text: string;
  readonly tokens: number;
  readonly images: number;
}

export interface Embedded {
  readonly answer: JsonObject;
  readonly tokens: number;
  readonly images: number;
}

export const answerEmbed =
  (version: '1' | '2') =>
  ({ seed }: Exchange, body: JsonObject): Reply => {
    if (readString(body, 'model') === undefined) return refuseInvalid('model is required');
    if (version === '2' && body['input_type'] === undefined) return refuseInvalid('input_type is required');
    const embedded = embed(body, seed, version === '2');
    if (!embedded.ok) return refuseInvalid(embedded.error);
    const { answer, tokens, images } = embedded.value;
    const units = { ...(tokens > 0 ? { input_tokens: tokens } : {}), ...(images > 0 ? { images } : {}) };
    return json({ ...answer, meta: { api_version: { version }, billed_units: units } });
  };

/**
 * The vectors of a request, in lists by type where the request names types or `byType` is true.
 * Errors: a sentence about the first field that is wrong.
 */
export function embed(body: JsonObject, seed: Seed, byType: boolean): Result<Embedded, string> {
  const inputs = readInputs(body);
  if (!inputs.ok) return inputs;
  const { input_type: purpose, output_dimension: dimension } = body;
  if (purpose !== undefined && !INPUT_TYPES.includes(purpose)) {
    return err(`input_type must be one of ${INPUT_TYPES.join(', ')}`);
  }
  if (dimension !== undefined && !DIMENSIONS.includes(dimension)) {
    return err(`output_dimension must be one of ${DIMENSIONS.join(', ')}`);
  }
  const types = readList(body, 'embedding_types') ?? ['float'];
  if (types.length === 0 || types.length > ENCODERS.size || !types.every((type) => ENCODERS.has(type))) {
    return err(`embedding_types must be a list of up to ${ENCODERS.size} of ${[...ENCODERS.keys()].join(', ')}`);
  }
  const dimensions = readCount(body, 'output_dimension') ?? DEFAULT_DIMENSIONS;
  const vectors = inputs.value.map(({ text }) => embedText(text, dimensions));
  const isByType = byType || body['embedding_types'] !== undefined;
  const lists = types.map((type) => [type, vectors.map((vector) => ENCODERS.get(type)?.(vector))]);
  const embeddings = isByType ? Object.fromEntries(lists) : vectors.map((vector) => Array.from(vector));
  const shape = { texts: body['texts'] ?? [], response_type: isByType ? 'embeddings_by_type' : 'embeddings_floats' };
  return ok({
    answer: { id: seed.id(''), embeddings, ...shape },
    tokens: inputs.value.reduce((sum, { tokens }) => sum + tokens, 0),
    images: inputs.value.reduce((sum, { images }) => sum + images, 0),
  });
}

function readInputs(body: JsonObject): Result<readonly Input[], string> {
  const given = FIELDS.filter((field) => body[field] !== undefined);
  const [field] = given;
  if (field === undefined || given.length > 1) return err('exactly one of texts, images or inputs is expected');
  const items = readList(body, field) ?? [];
  if (items.length === 0 || items.length > MAX_INPUTS)
    return err(`${field} must be a list of 1 to ${MAX_INPUTS} items`);
  const inputs = items.map(READERS[field]);
  const read = inputs.filter((input) => input !== undefined);
  return read.length < inputs.length ? err(`${field}[${inputs.indexOf(undefined)}] is not valid`) : ok(read);
}

const READERS: Readonly<Record<(typeof FIELDS)[number], (item: unknown) => Input | undefined>> = {
  texts: ofText,
  images: ofImage,
  inputs: ofContent,
};

function ofText(item: unknown): Input | undefined {
  return typeof item === 'string' ? { text: item, tokens: countTokens(item.length), images: 0 } : undefined;
}

function ofImage(item: unknown): Input | undefined {
  return typeof item === 'string' && item.startsWith('data:image/') ? { text: item, tokens: 0, images: 1 } : undefined;
}

function ofContent(item: unknown): Input | undefined {
  const parts = isObject(item) ? readObjects(item, 'content') : [];
  const inputs = parts.map((part) =>
    part['type'] === 'image_url' ? ofImage(readObject(part, 'image_url')?.['url']) : ofText(part['text']),
  );
  const read = inputs.filter((input) => input !== undefined);
  if (read.length === 0 || read.length < inputs.length) return undefined;
  return {
    text: read.map(({ text }) => text).join(' '),
    tokens: read.reduce((sum, { tokens }) => sum + tokens, 0),
    images: read.reduce((sum, { images }) => sum + images, 0),
  };
}

function toBytes(vector: Float32Array): Vector {
  return Array.from(vector, (value) => Math.round(value * MAX_BYTE));
}

/** Signs of eight values in a byte, the first in its highest bit. */
function toBits(vector: Float32Array): Vector {
  return Array.from({ length: Math.ceil(vector.length / BITS) }, (_, at) =>
    vector.subarray(at * BITS, (at + 1) * BITS).reduce((byte, value) => byte * 2 + (value > 0 ? 1 : 0), 0),
  );
}
