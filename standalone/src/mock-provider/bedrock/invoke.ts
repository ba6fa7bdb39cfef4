/** Models that are invoked with their own bodies: messages of Anthropic, embeddings of Titan and of Cohere. */
import { countTokens, embedText } from '../answer/index.ts';
import { embed } from '../cohere/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readList, readObject, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { requestId } from './converse.ts';
import { refuseInvalid } from './errors.ts';
import { invokeMessages, isMessages, streamMessages } from './invoke-messages.ts';

const OF_COHERE = ['texts', 'images', 'inputs'];
const TEXT_DIMENSIONS: readonly unknown[] = [256, 512, 1_024];
const IMAGE_DIMENSIONS: readonly unknown[] = [256, 384, 1_024];
const DEFAULT_DIMENSIONS = 1_024;
const FIRST_VERSION_DIMENSIONS = 1_536;

export function invokeModel(exchange: Exchange, body: JsonObject): Reply {
  if (isMessages(body)) return invokeMessages(exchange, body);
  if (OF_COHERE.some((field) => body[field] !== undefined)) return invokeCohere(exchange, body);
  if (body['inputText'] !== undefined || body['inputImage'] !== undefined) return invokeTitan(exchange, body);
  return refuseInvalid(
    `the mock provider invokes models for messages and embeddings: expected messages, inputText, inputImage, ${OF_COHERE.join(', ')}`,
  );
}

export function streamInvoked(exchange: Exchange, body: JsonObject): Reply {
  return isMessages(body) ? streamMessages(exchange, body) : refuseInvalid('the mock provider streams messages alone');
}

function invokeCohere({ seed }: Exchange, body: JsonObject): Reply {
  if (body['input_type'] === undefined) return refuseInvalid('input_type is required');
  const embedded = embed(body, seed, false);
  if (!embedded.ok) return refuseInvalid(embedded.error);
  const { answer, tokens } = embedded.value;
  return json(answer, { ...requestId(seed), 'x-amzn-bedrock-input-token-count': String(tokens) });
}

function invokeTitan({ seed, params: [model = ''] }: Exchange, body: JsonObject): Reply {
  const text = readString(body, 'inputText') ?? '';
  const image = readString(body, 'inputImage') ?? '';
  if (text === '' && image === '') return refuseInvalid('inputText and inputImage must be texts that are not empty');
  const config = readObject(body, 'embeddingConfig') ?? {};
  const { dimensions: wanted } = body;
  const length = config['outputEmbeddingLength'];
  if (wanted !== undefined && !TEXT_DIMENSIONS.includes(wanted)) {
    return refuseInvalid(`dimensions must be one of ${TEXT_DIMENSIONS.join(', ')}`);
  }
  if (length !== undefined && !IMAGE_DIMENSIONS.includes(length)) {
    return refuseInvalid(`embeddingConfig.outputEmbeddingLength must be one of ${IMAGE_DIMENSIONS.join(', ')}`);
  }
  const usual = model.includes('embed-text-v1') ? FIRST_VERSION_DIMENSIONS : DEFAULT_DIMENSIONS;
  const dimensions = readCount(body, 'dimensions') ?? readCount(config, 'outputEmbeddingLength') ?? usual;
  const embedding = Array.from(embedText(`${text} ${image}`, dimensions));
  const tokens = countTokens(text.length);
  return json(
    { embedding, ...toTypes(body, embedding), inputTextTokenCount: tokens },
    { ...requestId(seed), 'x-amzn-bedrock-input-token-count': String(tokens) },
  );
}

function toTypes(body: JsonObject, embedding: readonly number[]): object {
  const types = readList(body, 'embeddingTypes');
  if (types === undefined) return {};
  return {
    embeddingsByType: {
      ...(types.includes('float') ? { float: embedding } : {}),
      ...(types.includes('binary') ? { binary: embedding.map((value) => (value > 0 ? 1 : 0)) } : {}),
    },
  };
}
