import { createHash } from 'node:crypto';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import type { Form } from '../multipart.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import { ownContent, type Store, type Stored } from '../store.ts';
import { openai, refuseField, refuseLongName } from './errors.ts';
import { listPage } from './page.ts';

export type FileObject = ReturnType<typeof toFileObject>;
export type OpenaiFiles = Store<FileObject>;

const PAGE = { usual: 10_000, most: 10_000 };

/** Upload, list, read and delete files. */
export function createFileRoutes(files: OpenaiFiles): readonly Route[] {
  const bodiless = bodilessRoutes(openai);
  const one = /^\/v1\/files\/([^/]+)$/;
  const content = /^\/v1\/files\/([^/]+)\/content$/;
  return [
    {
      method: 'POST',
      path: '/v1/files',
      dialect: openai,
      input: 'form',
      handle: (exchange, form) => uploadFile(files, exchange, form),
    },
    bodiless('GET', '/v1/files', ({ query }) => listFiles(files, query)),
    bodiless('GET', one, (exchange) => withFile(files, exchange, ({ about }) => json(about))),
    bodiless('GET', content, (exchange) =>
      withFile(files, exchange, (file) => bytes(file.content, 'application/octet-stream')),
    ),
    bodiless('DELETE', one, (exchange) =>
      withFile(files, exchange, ({ about: { id } }) => {
        files.delete(id);
        return json({ id, object: 'file', deleted: true });
      }),
    ),
  ];
}

function uploadFile(files: OpenaiFiles, { seed }: Exchange, form: Form): Reply {
  const part = form.files.find(({ name }) => name === 'file');
  if (part === undefined) return refuseField('file', 'file is required');
  const { filename } = part;
  const purpose = form.fields.get('purpose') ?? 'user_data';
  const refusal = refuseLongName({ file: filename, purpose });
  if (refusal !== undefined) return refusal;
  const content = ownContent(part);
  const about = toFileObject({
    id: seed.id('file-'),
    createdSeconds: seed.createdSeconds,
    filename,
    purpose,
    content,
  });
  files.set(about.id, about, content);
  return json(about, { 'x-request-id': seed.id('req_') });
}

interface NewFile {
  readonly id: string;
  readonly createdSeconds: number;
  readonly filename: string;
  readonly purpose: string;
  readonly content: Buffer;
}

/** A file object; beside what the API has, the SHA-256 of the content, so that a lossy path is detected. */
export function toFileObject({ id, createdSeconds, filename, purpose, content }: NewFile) {
  return {
    id,
    object: 'file' as const,
    bytes: content.length,
    created_at: createdSeconds,
    filename,
    purpose,
    status: 'processed' as const,
    status_details: null,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}

function listFiles(files: OpenaiFiles, query: URLSearchParams): Reply {
  const purpose = query.get('purpose');
  const all = files.list();
  return listPage(purpose === null ? all : all.filter((file) => file.purpose === purpose), query, PAGE);
}

function withFile(files: OpenaiFiles, exchange: Exchange, answer: (file: Stored<FileObject>) => Reply): Reply {
  const id = exchange.params[0] ?? '';
  const file = files.get(id);
  return file === undefined ? refuse(404, `No such File object: ${id}`, { param: 'id' }) : answer(file);
}
