/** Buckets of Cloud Storage and jobs of Vertex AI on one port, as far as the gateway calls them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CloudCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Bytes of the body. */
  readonly size: number;
}

export interface CloudFault {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeGoogleCloud extends AsyncDisposable {
  readonly url: string;
  readonly calls: CloudCall[];
  /** By `bucket/object`. */
  readonly objects: Map<string, Buffer>;
  /** Bytes of objects that were not kept. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Uploads that have neither ended nor been given up. */
  readonly uploads: ReadonlyMap<string, unknown>;
  /** By `collection/id`. */
  readonly jobs: Map<string, Record<string, unknown>>;
  readonly created: Readonly<Record<string, unknown>> | undefined;
  /** Undefined: as it should. `cut`: the connection; `half`: a part of an upload is kept by half. */
  fault: ((call: CloudCall) => CloudFault | 'cut' | 'half' | undefined) | undefined;
}

export interface CloudOptions {
  /** Bytes of uploads are counted, and forgotten. */
  readonly forgets?: true;
}

export const PROJECT = '/v1/projects/p1/locations/us-central1';

interface Upload {
  readonly name: string;
  readonly kept: Buffer[];
  size: number;
  readonly isNew: boolean;
}

const refusal = (status: number, message: string): CloudFault => ({
  status,
  body: { error: { code: status, message, status: 'ERROR' } },
});

function send(response: ServerResponse, { status, body, headers }: CloudFault): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(status === 204 ? undefined : JSON.stringify(body));
}

class Storage {
  readonly objects = new Map<string, Buffer>();
  readonly sizes = new Map<string, number>();
  readonly uploads = new Map<string, Upload>();
  readonly #forgets: boolean;
  #next = 0;

  constructor(forgets: boolean) {
    this.#forgets = forgets;
  }

  answer(call: CloudCall, body: Buffer, isHalf: boolean): CloudFault | Buffer {
    const [, bucket = '', object = ''] = /\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(call.path) ?? [];
    if (call.path.startsWith('/upload/')) return this.#ofUpload(call, { bucket, body, isHalf });
    const found = this.objects.get(`${bucket}/${decodeURIComponent(object)}`);
    if (found === undefined) return refusal(404, 'No such object');
    if (call.method === 'DELETE') {
      this.objects.delete(`${bucket}/${decodeURIComponent(object)}`);
      return { status: 204, body: {} };
    }
    if (call.query.get('alt') === 'media') return found;
    return { status: 200, body: { size: String(found.length), timeCreated: '2026-01-02T03:04:05.678Z' } };
  }

  #ofUpload(call: CloudCall, sent: { bucket: string; body: Buffer; isHalf: boolean }): CloudFault {
    const id = call.query.get('upload_id');
    const name = `${sent.bucket}/${call.query.get('name')}`;
    if (id === null) {
      this.#next += 1;
      const own = `session/${this.#next}+`;
      this.uploads.set(own, { name, kept: [], size: 0, isNew: call.query.get('ifGenerationMatch') === '0' });
      const location = `https://elsewhere.example/upload?upload_id=${encodeURIComponent(own)}`;
      return { status: 200, body: {}, headers: { location } };
    }
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.name !== name) return refusal(404, 'No such upload');
    if (call.method !== 'DELETE') return this.#append(upload, id, call, sent);
    this.uploads.delete(id);
    return { status: 499, body: {} };
  }

  #append(upload: Upload, id: string, call: CloudCall, sent: { body: Buffer; isHalf: boolean }): CloudFault {
    const range = rangeOf(call, upload);
    if (range === undefined) return refusal(400, 'bad range');
    const known = upload.size - range.first;
    const size = Math.max(0, call.size - known);
    const kept = sent.isHalf ? Math.floor(size / 2) : size;
    upload.size += kept;
    if (!this.#forgets) upload.kept.push(Buffer.from(sent.body.subarray(known, known + kept)));
    if (upload.size !== range.total) {
      const headers: Record<string, string> = upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` };
      return { status: 308, body: {}, headers };
    }
    if (upload.isNew && this.objects.has(upload.name)) return refusal(412, 'exists');
    this.uploads.delete(id);
    this.objects.set(upload.name, Buffer.concat(upload.kept));
    this.sizes.set(upload.name, upload.size);
    return { status: 200, body: { size: String(upload.size) } };
  }
}

/** Undefined: not what the store takes. */
function rangeOf(
  { headers, size }: CloudCall,
  upload: Upload,
): { readonly first: number; readonly total: number | undefined } | undefined {
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  if (range === null) return undefined;
  const [, from, last, total] = range;
  const first = Number(from ?? upload.size);
  const isRight = first <= upload.size && (from === undefined ? size === 0 : Number(last) - first + 1 === size);
  if (!isRight || (total === '*' && size % (256 * 1024) !== 0)) return undefined;
  return { first, total: total === '*' ? undefined : Number(total) };
}

class Jobs {
  readonly jobs = new Map<string, Record<string, unknown>>();
  created: Record<string, unknown> | undefined;

  answer({ method, path, query }: CloudCall, body: Buffer): CloudFault {
    if (!path.startsWith(PROJECT)) return refusal(403, 'another project');
    const [collection = '', rest] = path.slice(PROJECT.length + 1).split('/');
    if (rest === undefined) return method === 'GET' ? this.#page(collection, query) : this.#create(collection, body);
    const [id = '', verb] = rest.split(':');
    const job = this.jobs.get(`${collection}/${id}`);
    if (job === undefined) return refusal(404, 'no such job');
    if (verb === 'cancel') job['state'] = 'JOB_STATE_CANCELLING';
    return { status: 200, body: verb === 'cancel' ? {} : job };
  }

  #create(collection: string, body: Buffer): CloudFault {
    this.created = JSON.parse(body.toString());
    const id = String(100 + this.jobs.size);
    const job = {
      ...this.created,
      name: `${PROJECT.slice('/v1/'.length)}/${collection}/${id}`,
      ...{ state: 'JOB_STATE_PENDING', createTime: '2026-01-02T03:04:05.678Z' },
    };
    this.jobs.set(`${collection}/${id}`, job);
    return { status: 200, body: job };
  }

  #page(collection: string, query: URLSearchParams): CloudFault {
    const all = [...this.jobs].flatMap(([name, job]) => (name.startsWith(collection) ? [job] : []));
    const from = Number((query.get('pageToken') ?? 't0').slice(1));
    const to = from + Math.min(Number(query.get('pageSize')), 2); // lists take several pages
    const next = to < all.length ? { nextPageToken: `t${to}` } : {};
    return { status: 200, body: { [collection]: all.slice(from, to), ...next } };
  }
}

export async function startGoogleCloud({ forgets }: CloudOptions = {}): Promise<FakeGoogleCloud> {
  const storage = new Storage(forgets === true);
  const jobs = new Jobs();
  const calls: CloudCall[] = [];
  const answerTo = (call: CloudCall, body: Buffer): CloudFault | Buffer | 'cut' => {
    const fault = fake.fault?.(call);
    if (fault !== undefined && fault !== 'half') return fault;
    const isStorage = call.path.startsWith('/storage/') || call.path.startsWith('/upload/');
    return isStorage ? storage.answer(call, body, fault === 'half') : jobs.answer(call, body);
  };
  const server = createServer(async (request, response) => {
    try {
      const { call, body } = await receive(request, forgets === true);
      calls.push(call);
      const answer = answerTo(call, body);
      if (answer === 'cut') response.destroy();
      else if (Buffer.isBuffer(answer)) response.end(answer);
      else send(response, answer);
    } catch {
      response.destroy(); // the request was broken off
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  const fake: FakeGoogleCloud = {
    url: `http://127.0.0.1:${port}`,
    calls,
    ...{ objects: storage.objects, sizes: storage.sizes, uploads: storage.uploads, jobs: jobs.jobs },
    get created() {
      return jobs.created;
    },
    fault: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

async function receive(request: IncomingMessage, forgets: boolean): Promise<{ call: CloudCall; body: Buffer }> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://h');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (!(forgets && searchParams.has('upload_id'))) kept.push(piece);
  }
  const { method = '', headers } = request;
  return { call: { method, path: pathname, query: searchParams, headers, size }, body: Buffer.concat(kept) };
}
