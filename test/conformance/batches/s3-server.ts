/** A bucket behind the API of S3 in this process: it checks every signature by its own arithmetic. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Uploads that have neither ended nor been aborted. */
  readonly uploads: ReadonlyMap<string, ReadonlyMap<number, Buffer>>;
  /** Largest body of a request. */
  readonly largest: number;
  /** Headers of the last request. */
  readonly headers: IncomingMessage['headers'];
  /** The next so many requests get the status, which is 503 unless it is given, or no answer: 0. */
  failNext(count: number, status?: number): void;
  stop(): void;
}

export const CREDENTIALS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret/of+the=test' } as const;
export const REGION = 'eu-central-1';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
const MIN_PART_BYTES = 5 * 1024 * 1024;

/** Source of the arithmetic: the description of Signature Version 4 by AWS. */
function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const { authorization = '' } = headers;
  const [, scope = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const date = String(headers['x-amz-date']);
  const payload = String(headers['x-amz-content-sha256']);
  if (scope !== `${date.slice(0, 8)}/${REGION}/s3/aws4_request` || payload !== sha256(body)) return false;
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.split(';').includes(name))) return false;
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    payload,
  ].join('\n');
  const key = [REGION, 's3', 'aws4_request'].reduce<Buffer>(
    (from, part) => hmac(from, part),
    hmac(`AWS4${CREDENTIALS.secretAccessKey}`, date.slice(0, 8)),
  );
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex') === signature;
}

interface State {
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, Map<number, Buffer>>;
  next: number;
}

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code></Error>`);
};

function answerUpload(state: State, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const url = new URL(request.url ?? '/', 'http://s3');
  const id = url.searchParams.get('uploadId') ?? '';
  const parts = state.uploads.get(id);
  if (url.searchParams.has('uploads')) {
    state.next += 1;
    const created = `upload+${state.next}/"&`;
    state.uploads.set(created, new Map());
    response.end(`<Result><UploadId>upload+${state.next}/&quot;&amp;</UploadId></Result>`);
    return;
  }
  if (parts === undefined) {
    refuse(response, 404, 'NoSuchUpload');
    return;
  }
  if (request.method === 'PUT') {
    const number = Number(url.searchParams.get('partNumber'));
    parts.set(number, body);
    response.setHeader('etag', `"${sha256(body)}"`);
    response.end();
    return;
  }
  state.uploads.delete(id);
  if (request.method === 'DELETE') {
    response.writeHead(204).end();
    return;
  }
  const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag>/g)];
  const found = listed.map(([, number, tag]) => {
    const part = parts.get(Number(number));
    return part !== undefined && sha256(part) === tag ? part : undefined;
  });
  const isGood =
    found.length > 0 &&
    found.every((part, i) => part !== undefined && (i === found.length - 1 || part.length >= MIN_PART_BYTES));
  if (!isGood) {
    refuse(response, 400, 'InvalidPart');
    return;
  }
  state.objects.set(url.pathname, Buffer.concat(found.filter((part) => part !== undefined)));
  response.end('<Result/>');
}

function answer(state: State, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://s3');
  if (!isSigned(request, body)) {
    refuse(response, 403, 'SignatureDoesNotMatch');
    return;
  }
  if (!pathname.startsWith('/bucket/')) {
    refuse(response, 404, 'NoSuchBucket');
    return;
  }
  if (search !== '') {
    answerUpload(state, request, response, body);
    return;
  }
  const found = state.objects.get(pathname);
  switch (request.method) {
    case 'PUT':
      state.objects.set(pathname, body);
      response.end();
      return;
    case 'DELETE':
      state.objects.delete(pathname);
      response.writeHead(204).end();
      return;
    default:
      if (found === undefined) refuse(response, 404, 'NoSuchKey');
      else response.end(found);
  }
}

export async function startS3(): Promise<S3Server> {
  const state: State = { objects: new Map(), uploads: new Map(), next: 0 };
  let failing = 0;
  let failure = 503;
  let largest = 0;
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces);
      largest = Math.max(largest, body.length);
      headers = request.headers;
      failing -= 1;
      if (failing >= 0 && failure === 0) return;
      if (failing >= 0) refuse(response, failure, 'SlowDown');
      else answer(state, request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...{ objects: state.objects, uploads: state.uploads, stop },
    get largest() {
      return largest;
    },
    get headers() {
      return headers;
    },
    failNext: (count, status = 503) => {
      failure = status;
      failing = count;
    },
    [Symbol.asyncDispose]: async () => stop(),
  };
}
