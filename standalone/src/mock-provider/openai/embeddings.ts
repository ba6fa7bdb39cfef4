import { countTokens, embedText, toBase64 } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { refuseField } from './errors.ts';

const DEFAULT_DIMENSIONS = 1_536;
const MAX_DIMENSIONS = 4_096;
const MAX_INPUTS = 2_048; // bound of `input` in the API

interface Input {
  readonly text: string;
  readonly tokens: number;
}

export function answerEmbeddings({ seed }: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  const inputs = readInputs(body['input']);
  if (inputs.length === 0 || inputs.length > MAX_INPUTS) {
    return refuseField('input', `input must be a text, token ids, or a list of 1 to ${MAX_INPUTS} of them`);
  }
  const dimensions = readCount(body, 'dimensions') ?? DEFAULT_DIMENSIONS;
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return refuseField('dimensions', `dimensions must be from 1 to ${MAX_DIMENSIONS}`);
  }
  const encode = body['encoding_format'] === 'base64' ? toBase64 : toNumbers;
  const tokens = inputs.reduce((sum, input) => sum + input.tokens, 0);
  const data = inputs.map(({ text }, index) => ({
    object: 'embedding',
    index,
    embedding: encode(embedText(text, dimensions)),
  }));
  return json(
    { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    { 'x-request-id': seed.id('req_') },
  );
}

function readInputs(input: unknown): readonly Input[] {
  if (typeof input === 'string') return [{ text: input, tokens: countTokens(input.length) }];
  if (!Array.isArray(input) || input.length === 0) return [];
  if (input.every((item) => typeof item === 'number')) return [{ text: input.join(' '), tokens: input.length }];
  return input.flatMap((item) => readInputs(item));
}

function toNumbers(vector: Float32Array): number[] {
  return Array.from(vector);
}
