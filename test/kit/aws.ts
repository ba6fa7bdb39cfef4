/** Buckets of S3 and the control plane of Bedrock on one port, as far as the gateway calls them. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AwsCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of the signature; undefined: it has none. */
  readonly service: string | undefined;
  readonly accessKey: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

export interface AwsFault {
  readonly status: number;
  readonly body: string;
}

export interface FakeAws extends AsyncDisposable {
  readonly url: string;
  readonly calls: AwsCall[];
  /** By path, e.g. `/bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** Bytes of objects that were not kept. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Uploads that have neither ended nor been aborted. */
  readonly uploads: ReadonlyMap<string, unknown>;
  /** Bodies of jobs, by ARN. */
  readonly jobs: Map<string, Record<string, unknown>>;
  /** The body of what was created last. */
  readonly created: Readonly<Record<string, unknown>> | undefined;
  /** Undefined: as it should. `cut`: the connection. */
  fault: ((call: AwsCall) => AwsFault | 'cut' | undefined) | undefined;
}

export interface AwsOptions {
  /** Bytes of uploads are counted, and forgotten. */
  readonly forgets?: true;
}

export const ACCOUNT_ARN = 'arn:aws:bedrock:eu-west-1:123456789012';
const BATCHES = '/model-invocation-job';
const FINETUNES = '/model-customization-jobs';

interface Part {
  readonly bytes: Buffer;
  readonly size: number;
  readonly tag: string;
}

interface Received {
  readonly call: AwsCall;
  readonly part: Part;
}

const refusal = (status: number, code: string): AwsFault => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} &amp; more</Message></Error>`,
});

class Bucket {
  readonly objects = new Map<string, Buffer>();
  readonly sizes = new Map<string, number>();
  readonly uploads = new Map<string, { readonly path: string; readonly parts: Map<number, Part> }>();
  #next = 0;

  answer({ call, part }: Received, response: ServerResponse): AwsFault | undefined {
    const { method, path, query } = call;
    if (query.has('uploads')) {
      this.#next += 1;
      const id = `up/${this.#next}&"`;
      this.uploads.set(id, { path, parts: new Map() });
      response.end(`<Result><UploadId>up/${this.#next}&amp;&quot;</UploadId></Result>`);
      return undefined;
    }
    const id = query.get('uploadId');
    if (id !== null) return this.#ofUpload(id, { call, part }, response);
    const found = this.objects.get(path);
    if (found === undefined) return refusal(404, 'NoSuchKey');
    response.setHeader('last-modified', 'Fri, 02 Jan 2026 03:04:05 GMT');
    response.setHeader('content-length', found.length);
    response.end(method === 'HEAD' ? undefined : found);
    return undefined;
  }

  #ofUpload(id: string, { call, part }: Received, response: ServerResponse): AwsFault | undefined {
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.path !== call.path) return refusal(404, 'NoSuchUpload');
    if (call.method === 'PUT') {
      upload.parts.set(Number(call.query.get('partNumber')), part);
      response.setHeader('etag', `"${part.tag}"`);
      response.end();
      return undefined;
    }
    if (call.method === 'DELETE') {
      this.uploads.delete(id);
      response.writeHead(204).end();
      return undefined;
    }
    const listed = part.bytes.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag>/g);
    const parts = [...listed].map(([, number, tag]) => {
      const sent = upload.parts.get(Number(number));
      return sent?.tag === tag ? sent : undefined;
    });
    const isGood = parts.every((each, i) => each !== undefined && (i === parts.length - 1 || each.size >= 5 << 20));
    if (!isGood || parts.length === 0) return refusal(400, 'InvalidPart');
    if (call.headers['if-none-match'] === '*' && this.objects.has(call.path)) return refusal(412, 'PreconditionFailed');
    this.uploads.delete(id);
    this.objects.set(call.path, Buffer.concat(parts.flatMap((each) => each?.bytes ?? [])));
    this.sizes.set(
      call.path,
      parts.reduce((sum, each) => sum + (each?.size ?? 0), 0),
    );
    response.end('<CompleteMultipartUploadResult/>');
    return undefined;
  }
}

class Jobs {
  readonly jobs = new Map<string, Record<string, unknown>>();
  created: Record<string, unknown> | undefined;

  answer({ call, part }: Received, response: ServerResponse): void {
    const { method, path } = call;
    const isBatch = path.startsWith(BATCHES);
    const send = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (method === 'GET' && (path === `${BATCHES}s` || path === FINETUNES)) send(this.#page(call, isBatch));
    else if (method === 'POST' && (path === BATCHES || path === FINETUNES)) {
      this.created = JSON.parse(part.bytes.toString());
      send(this.#create(isBatch), 201);
    } else this.#ofJob(path.slice((isBatch ? BATCHES : FINETUNES).length + 1), send);
  }

  #ofJob(path: string, send: (body: object, status?: number) => void): void {
    const [arn = '', verb] = path.split('/');
    const job = this.jobs.get(decodeURIComponent(arn));
    if (job === undefined) send({ message: 'no such job', __type: 'ResourceNotFoundException' }, 404);
    else if (verb === 'stop') {
      job['status'] = 'Stopping';
      send({});
    } else send(job);
  }

  #create(isBatch: boolean): { readonly jobArn: string } {
    const number = String(this.jobs.size + 1).padStart(12, '0');
    const jobArn = isBatch
      ? `${ACCOUNT_ARN}:model-invocation-job/${number}`
      : `${ACCOUNT_ARN}:model-customization-job/amazon.nova-lite-v1:0/${number}`;
    const facts = { submitTime: '2026-01-02T03:04:05.678Z', creationTime: '2026-01-02T03:04:05.678Z' };
    this.jobs.set(jobArn, { ...this.created, ...facts, jobArn, status: isBatch ? 'Submitted' : 'InProgress' });
    return { jobArn };
  }

  #page({ query }: AwsCall, isBatch: boolean): object {
    const all = [...this.jobs.values()].filter(
      ({ jobArn }) => String(jobArn).includes('model-invocation-job') === isBatch,
    );
    const from = Number(query.get('nextToken') ?? 0);
    const to = from + Math.min(Number(query.get('maxResults')), 2); // lists take several pages
    const next = to < all.length ? { nextToken: String(to) } : {};
    return { [isBatch ? 'invocationJobSummaries' : 'modelCustomizationJobSummaries']: all.slice(from, to), ...next };
  }
}

export async function startAws({ forgets }: AwsOptions = {}): Promise<FakeAws> {
  const bucket = new Bucket();
  const jobs = new Jobs();
  const calls: AwsCall[] = [];
  const answer = (received: Received, response: ServerResponse): void => {
    const { call, part } = received;
    const isJob = isOfJobs(call);
    const fault = fake.fault?.(call) ?? refusalOf(call, part, isJob);
    if (fault === 'cut') response.destroy();
    else if (fault !== undefined) end(response, fault);
    else if (isJob) jobs.answer(received, response);
    else endBucket(bucket.answer(received, response), call, response);
  };
  const server = createServer(async (request, response) => {
    try {
      const call = callOf(request);
      calls.push(call);
      answer({ call, part: await receive(request, forgets === true && call.query.has('partNumber')) }, response);
    } catch {
      response.destroy(); // the request was broken off
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  const fake: FakeAws = {
    url: `http://127.0.0.1:${port}`,
    calls,
    ...{ objects: bucket.objects, sizes: bucket.sizes, uploads: bucket.uploads, jobs: jobs.jobs },
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

const isOfJobs = ({ path }: AwsCall): boolean => path.startsWith(BATCHES) || path.startsWith(FINETUNES);

function endBucket(problem: AwsFault | undefined, { method }: AwsCall, response: ServerResponse): void {
  if (problem !== undefined) end(response, method === 'HEAD' ? { ...problem, body: '' } : problem);
}

function end(response: ServerResponse, { status, body }: AwsFault): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

/** Every request is signed for its own service, over its own bytes. */
function refusalOf({ service, headers }: AwsCall, part: Part, isJob: boolean): AwsFault | undefined {
  const isRight = service === (isJob ? 'bedrock' : 's3');
  const hash = headers['x-amz-content-sha256'];
  if (isRight && (isJob || hash === part.tag)) return undefined;
  return refusal(403, 'SignatureDoesNotMatch');
}

function callOf({ method = '', url = '/', headers }: IncomingMessage): AwsCall {
  const { pathname, searchParams } = new URL(url, 'http://h');
  const [, accessKey, service] =
    /Credential=(\w+)\/\d+\/[\w-]+\/(\w+)\/aws4_request/.exec(headers.authorization ?? '') ?? [];
  return { method, path: pathname, query: searchParams, service, accessKey, headers };
}

async function receive(request: IncomingMessage, isForgotten: boolean): Promise<Part> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    hash.update(piece);
    size += piece.length;
    if (!isForgotten) kept.push(piece);
  }
  return { bytes: Buffer.concat(kept), size, tag: hash.digest('hex') };
}
