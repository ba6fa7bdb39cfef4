/** Files of the vendor, for clients of OpenAI's API, and as they are for clients of its own. */
import { isObject, ok, type Result } from '@gatehouse/crds';
import { fromDeletedFile, fromFileList, fromFileMetadata, isBatchId } from '../../wire/anthropic/index.ts';
import type { AnswerRule, Call, Endpoint, Procedure } from '../contract.ts';
import { pathText } from '../engine/index.ts';
import { batchSegment } from './batch-id.ts';
import { batchResults } from './batch-output.ts';

const NOTHING = { kind: 'none' } as const;
/** Fields of OpenAI's form; the vendor's has the file alone. */
const OTHER_FIELDS = ['purpose', 'expires_after[anchor]', 'expires_after[seconds]'];

/** Its SDKs send the version of their API with every request, and read its answers. */
const isOwnClient = (call: Call): boolean => call.header('anthropic-version') !== undefined;

const answered = (read: (body: unknown) => Result<object, string>): AnswerRule => ({
  kind: 'read',
  read(body, call) {
    if (isOwnClient(call) && isObject(body)) return ok(body);
    const file = read(body);
    return file.ok ? ok({ ...file.value, provider: call.provider }) : file;
  },
});

const fileId = ({ route }: Call): string => pathText(route['file_id'] ?? '', 'file_id');

export const createFile: Endpoint = {
  method: 'POST',
  path: '/files',
  request: { kind: 'form', table: { drop: OTHER_FIELDS } },
  answer: answered(fromFileMetadata),
};

export const listFiles: Endpoint = {
  method: 'GET',
  path: (call) => `/files${listQuery(call)}`,
  request: NOTHING,
  answer: answered(fromFileList),
};

export const getFile: Endpoint = {
  method: 'GET',
  path: (call) => `/files/${fileId(call)}`,
  request: NOTHING,
  answer: answered(fromFileMetadata),
};

export const deleteFile: Endpoint = {
  method: 'DELETE',
  path: (call) => `/files/${fileId(call)}`,
  request: NOTHING,
  answer: answered(fromDeletedFile),
};

/** A batch is the file of its own output. */
export const getFileContent: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const id = fileId(call);
    if (isBatchId(id)) return batchResults(batchSegment(id, 'file_id'), call, tools);
    const answer = await tools.open({ method: 'GET', url: `${tools.baseUrl()}/files/${id}/content` });
    return {
      kind: 'content',
      contentType: textOf(answer.headers['content-type']) ?? 'application/octet-stream',
      content: answer.content,
    };
  },
};

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The page in the vendor's words. */
export function listQuery({ query }: Call): string {
  const asked = new URLSearchParams(query);
  const page = new URLSearchParams();
  for (const name of ['limit', 'before_id', 'after_id', 'beta']) {
    const value = asked.get(name);
    if (value !== null) page.set(name, value);
  }
  const after = asked.get('after');
  if (after !== null) page.set('after_id', after);
  return page.size === 0 ? '' : `?${page}`;
}
