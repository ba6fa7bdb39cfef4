/** `POST /api/embed` and its older form `POST /api/embeddings`, over embeddings. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseShape } from '../refuse.ts';
import { number } from '../shape.ts';
import { vectorsOf } from '../vectors.ts';
import { NANOS_PER_MS } from './answer.ts';
import { MERGED_PARAMS, vectorsForOthers } from './for-others.ts';
import { optionsOf } from './settings.ts';

export const ollamaEmbed: Door = {
  ownEndpoint: 'ollamaEmbed',
  vendorParams: [],
  mergedParams: MERGED_PARAMS,
  forOthers: vectorsForOthers,
  isCacheable: hasInput,
  enter: (given, { elapsedMs }) => ({
    params: withoutAbsent({
      model: given['model'],
      input: toInput(given['input']),
      dimensions: toDimensions(given['dimensions']),
      encoding_format: 'float',
      ...ofServer(given),
      truncate: given['truncate'],
    }),
    dropped: unreadOf(given, INPUT),
    toClient: (answer) =>
      withoutAbsent({
        model: textAt(given, 'model') ?? '',
        embeddings: vectorsOf(answer, { mayBeNone: !hasInput(given) }),
        total_duration: Math.round(elapsedMs() * NANOS_PER_MS),
        ...objectAt(answer, 'durations'),
        prompt_eval_count: numberAt(objectAt(answer, 'usage'), 'prompt_tokens'),
      }),
  }),
};

export const ollamaEmbeddings: Door = {
  ownEndpoint: 'ollamaEmbed',
  vendorParams: [],
  mergedParams: MERGED_PARAMS,
  forOthers: vectorsForOthers,
  isCacheable: hasInput,
  enter: (given) => ({
    params: withoutAbsent({
      model: given['model'],
      input: toPrompt(given['prompt']),
      encoding_format: 'float',
      ...ofServer(given),
    }),
    dropped: unreadOf(given, PROMPT),
    toClient: (answer) => ({
      embedding: vectorsOf(answer, { mayBeNone: !hasInput({ input: given['prompt'] }) })[0] ?? [],
    }),
  }),
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** Absent: there are no texts. Throws PARAMETER_INVALID. */
function toInput(input: unknown): unknown {
  if (input === undefined || input === null) return [];
  if (isText(input)) return input;
  if (!Array.isArray(input)) return refuseShape('input', 'a text or a list of texts');
  const wrong = input.findIndex((item) => !isText(item));
  return wrong < 0 ? input : refuseShape(`input[${wrong}]`, 'a text');
}

function toDimensions(dimensions: unknown): unknown {
  if (dimensions !== undefined && dimensions !== null) number(dimensions, 'dimensions');
  return dimensions;
}

function toPrompt(prompt: unknown): unknown {
  return isText(prompt ?? '') ? (prompt ?? '') : refuseShape('prompt', 'a text');
}

/** Without texts a server loads its model, and there are no vectors. */
function hasInput({ input }: JsonObject): boolean {
  return (typeof input === 'string' || Array.isArray(input)) && input.length > 0;
}

const OF_BOTH = ['model', 'options', 'keep_alive'];
const INPUT: ReadonlySet<string> = new Set([...OF_BOTH, 'input', 'dimensions', 'truncate']);
const PROMPT: ReadonlySet<string> = new Set([...OF_BOTH, 'prompt']);

const ofServer = (given: JsonObject): JsonObject => ({ options: optionsOf(given), keep_alive: given['keep_alive'] });

function unreadOf(given: JsonObject, read: ReadonlySet<string>): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(given, (name) => read.has(name));
  return dropped.names;
}
