/** `POST /api/embed` and its older form `POST /api/embeddings`, over embeddings. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseShape } from '../refuse.ts';
import { vectorsOf } from '../vectors.ts';
import { NANOS_PER_MS } from './answer.ts';

export const ollamaEmbed: Door = {
  enter: (given, { elapsedMs }) => ({
    params: withoutAbsent({
      model: given['model'],
      input: given['input'] ?? refuseShape('input', 'a text or a list of texts'),
      dimensions: given['dimensions'],
      encoding_format: 'float',
    }),
    dropped: unreadOf(given, 'input'),
    toClient: (answer) =>
      withoutAbsent({
        model: textAt(given, 'model') ?? '',
        embeddings: vectorsOf(answer),
        total_duration: Math.round(elapsedMs() * NANOS_PER_MS),
        prompt_eval_count: numberAt(objectAt(answer, 'usage'), 'prompt_tokens'),
      }),
  }),
};

export const ollamaEmbeddings: Door = {
  enter: (given) => ({
    params: withoutAbsent({
      model: given['model'],
      input: textAt(given, 'prompt') ?? refuseShape('prompt', 'a text'),
      encoding_format: 'float',
    }),
    dropped: unreadOf(given, 'prompt'),
    toClient: (answer) => ({ embedding: vectorsOf(answer)[0] ?? [] }),
  }),
};

/** Texts that are too long are cut by default: providers have rules of their own. */
function unreadOf(given: JsonObject, input: string): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(
    given,
    (name) => name === 'model' || name === input || (name === 'dimensions' && input === 'input'),
  );
  return dropped.names;
}
