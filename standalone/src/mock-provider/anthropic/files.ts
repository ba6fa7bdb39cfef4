import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import type { Form } from '../multipart.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import { createFileStore, faultOfName, ownContent, type Store, type Stored } from '../store.ts';
import { anthropic } from './errors.ts';
import { listPage } from './page.ts';

interface FileMetadata {
  readonly id: string;
  readonly type: 'file';
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly created_at: string;
  /** The API lets only files be downloaded that tools made; here all are. */
  readonly downloadable: true;
}

type Files = Store<FileMetadata>;

/** Upload, list, read and delete files. */
export function createFileRoutes(): readonly Route[] {
  const files: Files = createFileStore();
  const bodiless = bodilessRoutes(anthropic);
  const one = /^\/v1\/files\/([^/]+)$/;
  return [
    {
      method: 'POST',
      path: '/v1/files',
      dialect: anthropic,
      input: 'form',
      handle: (exchange, form) => uploadFile(files, exchange, form),
    },
    bodiless('GET', '/v1/files', ({ query }) => {
      return listPage(files.list().toReversed(), query);
    }),
    bodiless('GET', one, (exchange) => withFile(files, exchange, ({ about }) => json(about))),
    bodiless('GET', /^\/v1\/files\/([^/]+)\/content$/, (exchange) =>
      withFile(files, exchange, (file) => bytes(file.content, file.about.mime_type)),
    ),
    bodiless('DELETE', one, (exchange) =>
      withFile(files, exchange, ({ about: { id } }) => {
        files.delete(id);
        return json({ id, type: 'file_deleted' });
      }),
    ),
  ];
}

function uploadFile(files: Files, { seed }: Exchange, form: Form): Reply {
  const part = form.files.find(({ name }) => name === 'file');
  if (part === undefined) return refuse(400, 'file: Field required', { param: 'file' });
  const fault = faultOfName(part.filename);
  if (fault !== undefined) return refuse(400, `file: ${fault}`, { param: 'file' });
  const content = ownContent(part);
  const about: FileMetadata = {
    id: seed.id('file_'),
    type: 'file',
    filename: part.filename,
    mime_type: part.contentType,
    size_bytes: content.length,
    created_at: seed.createdTime,
    downloadable: true,
  };
  files.set(about.id, about, content);
  return json(about, { 'request-id': seed.id('req_') });
}

function withFile(files: Files, { params: [id = ''] }: Exchange, answer: (file: Stored<FileMetadata>) => Reply): Reply {
  const file = files.get(id);
  return file === undefined ? refuse(404, `File not found: ${id}`) : answer(file);
}
