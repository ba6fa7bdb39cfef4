/** Datasets and embed jobs of Cohere, and the storage behind them, as far as the gateway calls them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CohereCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

export interface CohereAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | Buffer;
}

export interface FakeCohere extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly CohereCall[];
  readonly datasets: Map<string, Record<string, unknown>>;
  /** The rows of uploads, by dataset. */
  readonly rows: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;
  readonly jobs: Map<string, Record<string, unknown>>;
  /** What is in the storage, by the name behind `/storage/`. */
  readonly objects: Map<string, Buffer>;
  /** Undefined: as it should. Answers a call otherwise. */
  fault: ((call: CohereCall) => CohereAnswer | undefined) | undefined;
}

const good = (body: object): CohereAnswer => ({ status: 200, body });
const missing: CohereAnswer = { status: 404, body: { id: 'e1', message: 'not found' } };
const CREATED = '2026-01-02T03:04:05.678Z';

export async function startCohere(): Promise<FakeCohere> {
  const calls: CohereCall[] = [];
  const datasets: FakeCohere['datasets'] = new Map();
  const rows = new Map<string, Readonly<Record<string, unknown>>[]>();
  const jobs: FakeCohere['jobs'] = new Map();
  const objects: FakeCohere['objects'] = new Map();

  const upload = async ({ query, body }: CohereCall, contentType: string): Promise<CohereAnswer> => {
    const asked = new URLSearchParams(query);
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    const data = form.get('data');
    if (!(data instanceof File) || [...form.keys()].length !== 1) return { status: 400, body: { message: 'no data' } };
    const id = `${asked.get('name')}-${datasets.size + 1}`;
    const lines = (await data.text()).trim().split('\n');
    rows.set(
      id,
      lines.map((line) => JSON.parse(line)),
    );
    datasets.set(id, {
      ...{
        id,
        name: asked.get('name'),
        dataset_type: asked.get('type'),
        validation_status: 'queued',
        created_at: CREATED,
      },
      dataset_parts: [{ id: 'p', index: 0, size_bytes: data.size, url: '', num_rows: lines.length }],
    });
    return good({ id });
  };

  const ofDatasets = (
    call: CohereCall,
    id: string | undefined,
    contentType: string,
  ): CohereAnswer | Promise<CohereAnswer> => {
    const { method, query } = call;
    if (id === undefined && method === 'POST') return upload(call, contentType);
    if (id === undefined) {
      const asked = new URLSearchParams(query);
      const from = Number(asked.get('offset'));
      return good({ datasets: [...datasets.values()].slice(from, from + Number(asked.get('limit'))) });
    }
    const dataset = datasets.get(id);
    if (dataset === undefined) return missing;
    if (method !== 'DELETE') return good({ dataset });
    datasets.delete(id);
    return good({});
  };

  const ofJobs = ({ method, body }: CohereCall, id: string | undefined, verb: string | undefined): CohereAnswer => {
    if (id === undefined && method === 'GET') return good({ embed_jobs: [...jobs.values()] });
    if (id === undefined) {
      const own = `job-${jobs.size + 1}`;
      const { model, dataset_id: input, truncate = 'END', name } = JSON.parse(body.toString());
      const facts = { job_id: own, status: 'processing', created_at: CREATED, model, truncate, name };
      jobs.set(own, { ...facts, input_dataset_id: input });
      return good({ job_id: own, meta: { api_version: { version: '1' } } });
    }
    const job = jobs.get(id);
    if (job === undefined) return missing;
    if (verb !== 'cancel') return good(job);
    return method === 'POST' ? good({}) : missing;
  };

  const answerTo = (call: CohereCall, contentType: string): CohereAnswer | Promise<CohereAnswer> => {
    const [, version, collection, id, verb] = call.path.split('/');
    if (version === 'storage') {
      const body = objects.get(call.path.slice('/storage/'.length));
      return body === undefined ? missing : { status: 200, body };
    }
    if (collection === 'datasets') return ofDatasets(call, id, contentType);
    return collection === 'embed-jobs' ? ofJobs(call, id, verb) : missing;
  };

  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://h');
    const { authorization } = request.headers;
    try {
      const body = await buffer(request);
      const call = { method: request.method ?? '', path: pathname, query: search.slice(1), authorization, body };
      calls.push(call);
      const answer = fake.fault?.(call) ?? (await answerTo(call, request.headers['content-type'] ?? ''));
      const isBytes = Buffer.isBuffer(answer.body);
      const type = isBytes ? 'application/avro' : 'application/json';
      response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
      response.end(isBytes ? answer.body : JSON.stringify(answer.body));
    } catch {
      response.destroy(); // the request was broken off
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeCohere = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on TCP
    ...{ calls, datasets, rows, jobs, objects },
    fault: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}
