/** A vendor with the files and batches of OpenAI, whose batches do what the tests say. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VendorBatch {
  readonly id: string;
  readonly created_at: number;
  readonly input_file_id: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: string;
}

export interface VendorRow {
  readonly custom_id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface BatchVendor extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  readonly batches: VendorBatch[];
  /** `METHOD /path` of each call. */
  readonly calls: string[];
  /** Bodies of the calls that have created batches. */
  readonly created: Readonly<Record<string, unknown>>[];
  readonly deleted: string[];
  /** What happens to a call that creates a batch: `lost`, when it was created nobody hears of it. */
  creates: 'answered' | 'lost' | 'refused';
  /** The status of the answer to a call (`METHOD /path`) in place of its own, which is done; undefined: its own. */
  fails: (call: string) => number | undefined;
  /** Batches that are cancelled go on for now. */
  keepsRunning: boolean;
  /** The rows of an upload. */
  rows(file: string): readonly VendorRow[];
  /** The rows of each output, where they are not all answered. */
  answers: (rows: readonly VendorRow[]) => readonly VendorRow[];
  /** Members of a batch in this state. */
  more: Readonly<Record<string, unknown>>;
  /** Calls that create a batch wait for it. */
  gate: Promise<void>;
}

const USAGE = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
const ENDED = new Set(['completed', 'expired', 'cancelled', 'failed']);

interface VendorCall {
  readonly method: string;
  readonly id: string;
  readonly below: string;
  readonly body: string;
}

/** The answer; undefined: it was sent. */
type Serve = (call: VendorCall, response: ServerResponse) => Promise<unknown>;

/** Lines of a form that are rows. */
const rowsIn = (form: string): readonly VendorRow[] =>
  form
    .split(/\r?\n/)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

export async function startBatchVendor(): Promise<BatchVendor> {
  const uploads = new Map<string, readonly VendorRow[]>();
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const vendor: BatchVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    ...{ batches: [], calls: [], created: [], deleted: [], creates: 'answered', more: {}, gate: Promise.resolve() },
    rows: (file) => uploads.get(file) ?? [],
    answers: (rows) => rows,
    fails: () => undefined,
    keepsRunning: false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
  const shown = (batch: VendorBatch) => ({
    ...{ object: 'batch', endpoint: '/v1/chat/completions', ...batch, ...vendor.more },
    output_file_id: ENDED.has(batch.status) && batch.status !== 'failed' ? `out-${batch.input_file_id}` : null,
    request_counts: { total: vendor.rows(batch.input_file_id).length, completed: 0, failed: 0 },
  });
  const create = async (body: Readonly<Record<string, unknown>>, response: ServerResponse): Promise<unknown> => {
    vendor.created.push(body);
    if (vendor.creates === 'refused') {
      response.statusCode = 400;
      return { error: { message: 'Not today', type: 'invalid_request_error' } };
    }
    const id = `batch_${vendor.batches.length + 1}`;
    const { metadata = {}, input_file_id: file } = body as unknown as VendorBatch; // as the gateway sends it
    const batch = {
      id,
      created_at: Math.floor(Date.now() / 1_000),
      input_file_id: file,
      metadata,
      status: 'in_progress',
    };
    vendor.batches.push(batch);
    await vendor.gate;
    if (vendor.creates === 'lost') response.destroy();
    return shown(batch);
  };
  const content = (file: string): string =>
    vendor
      .answers(vendor.rows(file.replace(/^out-/, '')))
      .map(({ custom_id: customId, body }, i) =>
        JSON.stringify({
          ...{ id: `batch_req_${i}`, custom_id: customId, error: null },
          response: { status_code: 200, request_id: `r${i}`, body: { model: body['model'], usage: USAGE, n: i } },
        }),
      )
      .join('\n');
  const filesAt: Serve = async ({ method, id, body }, response) => {
    if (method === 'DELETE') {
      vendor.deleted.push(id);
      return { id, deleted: true };
    }
    if (method === 'POST') {
      const file = `file-${uploads.size + 1}`;
      uploads.set(file, rowsIn(body));
      return { id: file, object: 'file' };
    }
    response.end(content(id));
    return undefined;
  };
  const batchesAt: Serve = async ({ method, id, below, body }, response) => {
    if (id === '' && method === 'POST') return await create(JSON.parse(body), response);
    if (id === '') return { object: 'list', data: vendor.batches.toReversed().map(shown), has_more: false };
    const batch = vendor.batches.find((each) => each.id === id);
    if (batch === undefined) {
      response.statusCode = 404;
      return { error: { message: 'No such batch' } };
    }
    if (below === 'cancel' && !vendor.keepsRunning) batch.status = 'cancelled';
    return shown(batch);
  };
  const other: Serve = async () => ({ id: 'x', model: 'gpt-4o', usage: USAGE, choices: [] });
  const serving = (kind: string): Serve => (kind === 'files' ? filesAt : kind === 'batches' ? batchesAt : other);
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes: Buffer[] = [];
    for await (const piece of request) bytes.push(piece);
    const { method = '' } = request;
    const { pathname } = new URL(request.url ?? '', 'http://vendor');
    vendor.calls.push(`${method} ${pathname}`);
    const [, , kind = '', id = '', below = ''] = pathname.split('/');
    response.setHeader('content-type', 'application/json');
    const call = { method, id, below, body: Buffer.concat(bytes).toString() };
    const failed = vendor.fails(`${method} ${pathname}`);
    if (failed !== undefined) response.statusCode = failed;
    const value = await serving(kind)(call, response);
    if (value !== undefined && !response.destroyed) response.end(JSON.stringify(value));
  }
  return vendor;
}
