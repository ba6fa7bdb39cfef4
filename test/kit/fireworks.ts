/** The management API of Fireworks and the bucket behind it, as far as the gateway calls them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface FireworksCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

export interface FakeFireworks extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly FireworksCall[];
  /** Bytes by data set. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Names of data sets that are there. */
  readonly datasets: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly jobs: Map<string, Record<string, unknown>>;
  /** Undefined: as it should. Answers a call otherwise. */
  fault: ((call: FireworksCall) => { readonly status: number; readonly body: object } | undefined) | undefined;
}

const ACCOUNT = '/v1/accounts/acct1';
const JOBS = 'supervisedFineTuningJobs';
/** Entries of one page, whatever is asked for: lists take several. */
const PAGE = 2;

interface Answer {
  readonly status: number;
  readonly body: object;
}

const good = (body: object): Answer => ({ status: 200, body });
const missing: Answer = { status: 404, body: { error: { message: 'not found', code: 'NOT_FOUND' } } };

export async function startFireworks(): Promise<FakeFireworks> {
  const calls: FireworksCall[] = [];
  const contents = new Map<string, Buffer>();
  const datasets = new Map<string, Record<string, unknown>>();
  const jobs = new Map<string, Record<string, unknown>>();
  let url = '';

  const page = (collection: string, entries: readonly object[], query: string): Answer => {
    const from = Number(new URLSearchParams(query).get('pageToken') ?? 0);
    const isMore = from + PAGE < entries.length;
    const nextPageToken = isMore ? String(from + PAGE) : '';
    return good({ [collection]: entries.slice(from, from + PAGE), nextPageToken, totalSize: entries.length });
  };

  const ofDataset = ({ method, body }: FireworksCall, id: string, verb: string | undefined): Answer => {
    if (!datasets.has(id)) return missing;
    if (verb === 'getUploadEndpoint') {
      const [[name = '', size] = []] = Object.entries(JSON.parse(body.toString()).filenameToSize);
      return good({ filenameToSignedUrls: { [name]: `${url}/bucket/${id}?size=${size}&signature=s` } });
    }
    if (verb === 'validateUpload') {
      datasets.set(id, { ...datasets.get(id), state: 'READY' });
      return good({});
    }
    if (method === 'DELETE') {
      datasets.delete(id);
      return good({});
    }
    return good(datasets.get(id) ?? {});
  };

  const ofDatasets = (call: FireworksCall, rest: string | undefined): Answer => {
    const [id = '', verb] = (rest ?? '').split(':');
    if (rest !== undefined) return ofDataset(call, id, verb);
    if (call.method === 'GET') return page('datasets', [...datasets.values()], call.query);
    const { datasetId, dataset } = JSON.parse(call.body.toString());
    const name = `accounts/acct1/datasets/${datasetId}`;
    datasets.set(datasetId, { name, state: 'UPLOADING', createTime: '2026-01-02T03:04:05Z', ...dataset });
    return good({ name });
  };

  const ofJobs = ({ method, query, body }: FireworksCall, id: string | undefined): Answer => {
    if (id === undefined && method === 'GET') return page(JOBS, [...jobs.values()], query);
    if (id === undefined) {
      const own = `job${jobs.size + 1}`;
      const job = {
        ...JSON.parse(body.toString()),
        name: `accounts/acct1/${JOBS}/${own}`,
        state: 'JOB_STATE_CREATING',
      };
      jobs.set(own, job);
      return good(job);
    }
    const job = jobs.get(id);
    if (job === undefined) return missing;
    if (method === 'DELETE') jobs.delete(id);
    return good(method === 'DELETE' ? {} : job);
  };

  const ofAccount = (call: FireworksCall): Answer => {
    const [collection, rest] = call.path.slice(ACCOUNT.length + 1).split('/');
    return collection === JOBS ? ofJobs(call, rest) : ofDatasets(call, rest);
  };

  const answerTo = (call: FireworksCall, request: IncomingMessage): Answer => {
    if (!call.path.startsWith('/bucket/')) return ofAccount(call);
    const size = new URLSearchParams(call.query).get('size');
    const isSigned = request.headers['x-goog-content-length-range'] === `${size},${size}`;
    if (!isSigned || call.body.length !== Number(size))
      return { status: 400, body: { error: { message: 'wrong size' } } };
    contents.set(call.path.slice('/bucket/'.length), call.body);
    return good({});
  };

  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://h');
    const { authorization } = request.headers;
    try {
      const body = await buffer(request);
      const call = { method: request.method ?? '', path: pathname, query: search.slice(1), authorization, body };
      calls.push(call);
      const { status, body: answer } = fake.fault?.(call) ?? answerTo(call, request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } catch {
      response.destroy(); // the request was broken off
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
  const fake: FakeFireworks = {
    ...{ url, calls, contents, datasets, jobs },
    fault: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}
