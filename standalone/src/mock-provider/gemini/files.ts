import { createHash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readObject, readString } from '../json.ts';
import { toMimeType } from '../mime-type.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import { createFileStore, createStore, faultOfName, type Store, type Stored } from '../store.ts';
import { gemini } from './errors.ts';

const DEFAULT_PAGE = 10;
const MAX_UPLOADS = 100; // begun and not ended
const MAX_UPLOAD_BYTES = 1024 * 1024; // of what they announce

interface FileAbout {
  readonly name: string;
  readonly displayName: string;
  readonly mimeType: string;
  readonly sizeBytes: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly sha256Hash: string;
  readonly uri: string;
  readonly state: 'ACTIVE';
}

/** What the first request of an upload says of the file. */
interface Announced {
  readonly displayName: string;
  readonly mimeType: string;
}

interface Places {
  readonly files: Store<FileAbout>;
  readonly uploads: Store<Announced>;
}

/** Files with the resumable upload of Google: one request announces the file, the next brings all of it. */
export function createFileRoutes(): readonly Route[] {
  const places: Places = {
    files: createFileStore(),
    uploads: createStore({ maxEntries: MAX_UPLOADS, maxBytes: MAX_UPLOAD_BYTES }),
  };
  const bodiless = bodilessRoutes(gemini);
  const one = /^\/v1(?:beta)?\/files\/([^/:]+)$/;
  return [
    bodiless('POST', /^\/upload\/v1(?:beta)?\/files$/, (exchange) => takeUpload(places, exchange)),
    bodiless('GET', /^\/v1(?:beta)?\/files$/, ({ query }) => listFiles(places, query)),
    bodiless('GET', one, (exchange) => withFile(places, exchange, ({ about }) => json(about))),
    bodiless('GET', /^\/v1(?:beta)?\/files\/([^/:]+):download$/, (exchange) =>
      withFile(places, exchange, (file) => bytes(file.content, file.about.mimeType)),
    ),
    bodiless('DELETE', one, (exchange) =>
      withFile(places, exchange, ({ about }) => {
        places.files.delete(about.name);
        return json({});
      }),
    ),
  ];
}

function takeUpload(places: Places, exchange: Exchange): Reply {
  const { request, query } = exchange;
  const commands = String(request.headers['x-goog-upload-command'] ?? '').split(/\s*,\s*/);
  if (commands.includes('start')) return beginUpload(places, exchange);
  const id = query.get('upload_id') ?? '';
  const announced = places.uploads.get(id)?.about;
  if (announced === undefined) return refuse(404, 'The upload is not known.');
  if (!commands.includes('finalize')) return refuse(400, 'The mock takes a file in one request: upload, finalize.');
  places.uploads.delete(id);
  return endUpload(places, exchange, announced);
}

function beginUpload({ uploads }: Places, { request, seed }: Exchange): Reply {
  const file = readObject(parseObject(request.body), 'file') ?? {};
  const id = seed.id('upload-');
  const displayName = readString(file, 'displayName') ?? readString(file, 'display_name') ?? '';
  const fault = faultOfName(displayName);
  if (fault !== undefined) return refuse(400, `file.display_name: ${fault}`);
  const inHeader = String(request.headers['x-goog-upload-header-content-type'] ?? '');
  const mimeType = toMimeType(readString(file, 'mimeType') ?? readString(file, 'mime_type') ?? inHeader);
  uploads.set(id, { displayName, mimeType });
  const url = `http://${request.headers.host ?? ''}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`;
  return json({}, { 'x-goog-upload-status': 'active', 'x-goog-upload-url': url });
}

function endUpload({ files }: Places, { request, seed }: Exchange, { displayName, mimeType }: Announced): Reply {
  const id = seed.id('').slice(0, 12);
  const content = request.body;
  const about: FileAbout = {
    name: `files/${id}`,
    displayName,
    mimeType,
    sizeBytes: String(content.length),
    createTime: seed.createdTime,
    updateTime: seed.createdTime,
    sha256Hash: createHash('sha256').update(content).digest('base64'),
    uri: `http://${request.headers.host ?? ''}/v1beta/files/${id}`,
    state: 'ACTIVE',
  };
  files.set(about.name, about, content);
  return json({ file: about }, { 'x-goog-upload-status': 'final' });
}

function parseObject(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The page token is the number of files on earlier pages. */
function listFiles({ files }: Places, query: URLSearchParams): Reply {
  const all = files.list();
  const start = Number(query.get('pageToken') ?? 0) || 0;
  const end = start + (Number(query.get('pageSize') ?? DEFAULT_PAGE) || DEFAULT_PAGE);
  return json({ files: all.slice(start, end), ...(end < all.length ? { nextPageToken: String(end) } : {}) });
}

function withFile(
  { files }: Places,
  { params: [id = ''] }: Exchange,
  answer: (file: Stored<FileAbout>) => Reply,
): Reply {
  const file = files.get(`files/${id}`);
  return file === undefined ? refuse(404, `files/${id} is not found`) : answer(file);
}
