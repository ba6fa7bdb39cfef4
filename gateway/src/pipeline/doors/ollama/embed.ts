/** `POST /api/embed` and its older form `POST /api/embeddings`, over embeddings. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseShape } from '../refuse.ts';
import { vectorsOf } from '../vectors.ts';
import { NANOS_PER_MS } from './answer.ts';
import { MERGED_PARAMS, vectorsForOthers } from './for-others.ts';
import { optionsOf } from './settings.ts';

export const ollamaEmbed: Door = {
  ownEndpoint: 'ollamaEmbed',
  vendorParams: [],
  mergedParams: MERGED_PARAMS,
  forOthers: vectorsForOthers,
  enter: (given, { elapsedMs }) => ({
    params: withoutAbsent({
      model: given['model'],
      input: given['input'] ?? refuseShape('input', 'a text or a list of texts'),
      dimensions: given['dimensions'],
      encoding_format: 'float',
      ...ofServer(given),
      truncate: given['truncate'],
    }),
    dropped: unreadOf(given, INPUT),
    toClient: (answer) =>
      withoutAbsent({
        model: textAt(given, 'model') ?? '',
        embeddings: vectorsOf(answer),
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
  enter: (given) => ({
    params: withoutAbsent({
      model: given['model'],
      input: textAt(given, 'prompt') ?? refuseShape('prompt', 'a text'),
      encoding_format: 'float',
      ...ofServer(given),
    }),
    dropped: unreadOf(given, PROMPT),
    toClient: (answer) => ({ embedding: vectorsOf(answer)[0] ?? [] }),
  }),
};

const OF_BOTH = ['model', 'options', 'keep_alive'];
const INPUT: ReadonlySet<string> = new Set([...OF_BOTH, 'input', 'dimensions', 'truncate']);
const PROMPT: ReadonlySet<string> = new Set([...OF_BOTH, 'prompt']);

const ofServer = (given: JsonObject): JsonObject => ({ options: optionsOf(given), keep_alive: given['keep_alive'] });

function unreadOf(given: JsonObject, read: ReadonlySet<string>): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(given, (name) => read.has(name));
  return dropped.names;
}
