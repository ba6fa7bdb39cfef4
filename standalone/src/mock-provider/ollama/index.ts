import { countTokens, embedText } from '../answer/index.ts';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readCount, readString } from '../json.ts';
import { MOCK_MODELS, MODELS_CREATED_TIME } from '../models.ts';
import { json, type Reply, refuse } from '../reply.ts';
import { answerChat } from './chat.ts';
import { ollama } from './errors.ts';

export { ollama } from './errors.ts';

const DEFAULT_DIMENSIONS = 768;
const MAX_DIMENSIONS = 4_096;
const MAX_INPUTS = 2_048;

/** The paths of Ollama's own API. */
export function createOllamaRoutes(): readonly Route[] {
  const post = { method: 'POST', dialect: ollama, input: 'json' } as const;
  const bodiless = bodilessRoutes(ollama);
  return [
    { ...post, path: '/api/chat', handle: answerChat },
    { ...post, path: '/api/embed', handle: answerEmbed },
    { ...post, path: '/api/show', handle: showModel },
    bodiless('GET', '/api/tags', () => json({ models: MOCK_MODELS.map(toTag) })),
    bodiless('GET', '/api/version', () => json({ version: '0.12.0' })),
  ];
}

function answerEmbed(_exchange: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined || model === '') return refuse(400, 'model is required');
  const inputs = readInputs(body['input']);
  if (inputs === undefined) return refuse(400, 'invalid input type');
  if (inputs.length > MAX_INPUTS) return refuse(400, `input must have at most ${MAX_INPUTS} texts`);
  const dimensions = readCount(body, 'dimensions') ?? DEFAULT_DIMENSIONS;
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) return refuse(400, 'dimensions must be from 1 to 4096');
  if (inputs.length === 0) return json({ model, embeddings: [] });
  return json({
    model,
    embeddings: inputs.map((text) => Array.from(embedText(text, dimensions))),
    total_duration: 2_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: inputs.reduce((sum, text) => sum + countTokens(text.length), 0),
  });
}

/** A text or a list of texts; nothing and an empty text are no input, and other types none that the server takes. */
function readInputs(input: unknown): readonly string[] | undefined {
  if (input === undefined || input === null || input === '') return [];
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  return inputs.every((text) => typeof text === 'string') ? inputs : undefined;
}

const DETAILS = {
  parent_model: '',
  format: 'gguf',
  family: 'mock',
  families: ['mock'],
  parameter_size: '1B',
  quantization_level: 'Q4_K_M',
};

const toTag = (name: string) => ({
  name,
  model: name,
  modified_at: MODELS_CREATED_TIME,
  size: 1_000_000,
  digest: '0'.repeat(64),
  details: DETAILS,
});

/** `name` is the older name of the member. */
function showModel(_exchange: Exchange, body: JsonObject): Reply {
  const asked = readString(body, 'model') ?? readString(body, 'name');
  const model = MOCK_MODELS.find((known) => known === asked);
  if (model === undefined) return refuse(404, `model '${asked ?? ''}' not found`);
  return json({
    modelfile: `FROM ${model}\n`,
    parameters: '',
    template: '{{ .Prompt }}',
    details: DETAILS,
    model_info: { 'general.architecture': 'mock', 'general.basename': model },
    capabilities: model === 'mock-embedding' ? ['embedding'] : ['completion', 'tools', 'thinking'],
    modified_at: MODELS_CREATED_TIME,
  });
}
