/** Datasets as files of OpenAI's API. Source: Cohere API v1, "Datasets". */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import { secondsOf, toFileObject } from '../openai/index.ts';

/** The type of what embed jobs read. */
export const EMBED_INPUT = 'embed-input';
/** What stays with a row, from the upload to the output. */
export const KEPT_FIELDS: readonly string[] = ['custom_id', 'id'];

const PURPOSES: ReadonlyMap<string, string> = new Map([
  [EMBED_INPUT, 'batch'],
  ['embed-result', 'batch_output'],
  ['embed-output', 'batch_output'],
]);

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['validated', 'processed'],
  ['failed', 'error'],
  ['skipped', 'error'],
]);

export type FileEntry = JsonObject & { readonly id: string };

/** A dataset as a file; the error says why it cannot be read. */
export function fromDataset(dataset: unknown): Result<FileEntry, string> {
  const id = isObject(dataset) ? textAt(dataset, 'id') : undefined;
  if (!isObject(dataset) || id === undefined || id === '') return err('the dataset has no id');
  const file = toFileObject({
    id,
    bytes: bytesOf(dataset),
    created_at: secondsOf(textAt(dataset, 'created_at')),
    filename: textAt(dataset, 'name') || id,
    purpose: PURPOSES.get(textAt(dataset, 'dataset_type') ?? '') ?? 'user_data',
    status: STATUSES.get(textAt(dataset, 'validation_status') ?? '') ?? 'uploaded',
    status_details: textAt(dataset, 'validation_error') || undefined,
  });
  return ok({ ...file, id });
}

/** The answer to a call for one dataset. */
export const fromDatasetAnswer = (body: unknown): Result<FileEntry, string> =>
  fromDataset(isObject(body) ? body['dataset'] : undefined);

function bytesOf(dataset: JsonObject): number | undefined {
  const sizes = objectsAt(dataset, 'dataset_parts').flatMap((part) => numberAt(part, 'size_bytes') ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

export interface DatasetPart {
  /** Empty: the dataset is not ready. */
  readonly url: string;
  /** Undefined: it is not told. */
  readonly rows: number | undefined;
}

/** The parts of the dataset of an answer, in their order. */
export function partsOfDataset(body: JsonObject): readonly DatasetPart[] {
  const parts = objectsAt(objectAt(body, 'dataset'), 'dataset_parts');
  return parts
    .map((part, at) => ({ part, at: numberAt(part, 'index') ?? at }))
    .sort((one, other) => one.at - other.at)
    .map(({ part }) => ({ url: textAt(part, 'url') ?? '', rows: numberAt(part, 'num_rows') }));
}

/** A row of an upload in the words of a dataset; the error says why it cannot be one. */
export function toDatasetRow(customId: string, body: JsonObject, id: string): Result<JsonObject, string> {
  const { input, dimensions, encoding_format: format } = body;
  if (isGiven(dimensions)) return err('dimensions is not taken: embeddings have the dimensions of the model');
  if (isGiven(format) && format !== 'float') return err('encoding_format must be float');
  const [only, ...more]: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (typeof only !== 'string' || only === '' || more.length > 0) {
    return err('input must be one text: further texts are rows of their own, and tokens and images are not taken');
  }
  return ok({ custom_id: customId, text: only, id });
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
