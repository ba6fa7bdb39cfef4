/** Files of the vendor as files of OpenAI's API. Source: Anthropic API, "Files". */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectsAt, textAt } from '../json/json.ts';
import { secondsOf, toFileObject } from '../openai/index.ts';
import { pageOf } from './batches.ts';

/** The vendor has no purposes: its files are what messages refer to. */
const PURPOSE = 'user_data';

export function fromFileMetadata(body: unknown): Result<JsonObject, string> {
  const id = isObject(body) ? textAt(body, 'id') : undefined;
  if (!isObject(body) || id === undefined) return err('the file has no id');
  return ok(
    toFileObject({
      id,
      bytes: numberAt(body, 'size_bytes'),
      created_at: secondsOf(textAt(body, 'created_at')),
      filename: textAt(body, 'filename') ?? '',
      purpose: PURPOSE,
      status: 'processed',
    }),
  );
}

/** A list has the entries that can be read. */
export function fromFileList(body: unknown): Result<object, string> {
  if (!isObject(body) || !Array.isArray(body['data'])) return err('the answer has no list of files');
  const data = objectsAt(body, 'data').flatMap((entry) => {
    const file = fromFileMetadata(entry);
    return file.ok ? [file.value] : [];
  });
  return ok({ object: 'list', data, ...pageOf(body) });
}

export function fromDeletedFile(body: unknown): Result<object, string> {
  const id = isObject(body) ? textAt(body, 'id') : undefined;
  return id === undefined ? err('the answer names no file') : ok({ id, object: 'file', deleted: true });
}
