/** The sidecar's side: the request log is kept by the fleet. */
import type { FleetAddress, FleetLink } from '../fleet/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { Cancellation } from '../lib/cancellation.ts';
import {
  type LogFeedback,
  type LogStore,
  RowsRefused,
  type SealedBatch,
  type WaitingRecord,
} from '../request-log/index.ts';
import { MAX_CALL_BYTES, RECORDS_PATH, recordsReply, type WireRecords } from './protocol.ts';

export interface FleetLogStoreOptions {
  readonly link: Pick<FleetLink, 'send' | 'close'>;
  /** Undefined: there is no fleet that keeps a request log. */
  address(): FleetAddress | undefined;
  /** Longest wait for the answer to a call, in ms. */
  readonly timeoutMs: number;
}

/** Its size or its content: no later try makes it better. */
class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

const MAX_REPLY_BYTES = 16 * 1024;
const REFUSALS: ReadonlySet<number> = new Set([400, 413]);

export function createFleetLogStore(options: FleetLogStoreOptions): LogStore {
  return {
    name: 'fleet',
    lineOf: (row) => JSON.stringify(row),
    documentOf: (content) => JSON.stringify(content),
    write: async (batch) => {
      checkRefused(await send(batch, () => bodyOf(batch), options));
    },
    writeFeedback: async (batch) => {
      checkRefused(await send(batch, () => bodyOfFeedback(batch), options));
    },
    isTemporary: (error) => !(error instanceof CallRefused),
    dropBefore: async () => undefined, // the fleet does
    close: () => options.link.close(),
  };
}

function checkRefused(refused: number): void {
  if (refused > 0) throw new RowsRefused(refused, 'the fleet does not take them');
}

/** Resolves with the number of rows that were refused. */
async function send(
  { records }: SealedBatch<unknown>,
  write: () => Buffer,
  { link, address, timeoutMs }: FleetLogStoreOptions,
): Promise<number> {
  const to = address();
  if (to === undefined) throw new RowsRefused(records.length, 'the fleet of the profile keeps no request log');
  const body = write();
  const cancellation = new Cancellation();
  const timer = setTimeout(() => cancellation.cancel(new Error('the fleet did not answer in time')), timeoutMs);
  try {
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const answer = await link.send(to, { method: 'POST', path: RECORDS_PATH, headers, body }, cancellation);
    if (answer.status !== 200) {
      answer.body.discard();
      const text = `the fleet answered ${answer.status}`;
      throw REFUSALS.has(answer.status) ? new CallRefused(text) : new Error(text);
    }
    const memory = createByteBudget(MAX_REPLY_BYTES).open();
    const bytes = await answer.body.collect(MAX_REPLY_BYTES, memory);
    return recordsReply.parse(JSON.parse(bytes.toString('utf8'))).refused;
  } finally {
    clearTimeout(timer);
  }
}

/** A row is worth more than its document: one that is too large goes without. Throws CallRefused for a batch that must be halved. */
function bodyOf({ id, records }: SealedBatch): Buffer {
  const body = callOf(id, records);
  if (body.length <= MAX_CALL_BYTES) return body;
  if (records.length > 1) throw new CallRefused('more than one call may have');
  return callOf(
    id,
    records.map((record) => ({ ...record, document: undefined })),
  );
}

/** A WireRecords; the rows and documents in it are JSON already. */
function callOf(id: string, records: readonly WaitingRecord[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`{"id":${JSON.stringify(id)},"records":[`)];
  for (const [at, { line, document }] of records.entries()) {
    pieces.push(at === 0 ? ROW : NEXT_ROW, line);
    if (document !== undefined) pieces.push(CONTENT, document);
    pieces.push(END_OF_ROW);
  }
  return Buffer.concat([...pieces, END]);
}

const ROW = Buffer.from('{"row":');
const NEXT_ROW = Buffer.from(',{"row":');
const CONTENT = Buffer.from(',"content":');
const END_OF_ROW = Buffer.from('}');
const END = Buffer.from(']}');

/** Throws CallRefused for a batch that must be halved. */
function bodyOfFeedback({ id, records: feedback }: SealedBatch<LogFeedback>): Buffer {
  const call: WireRecords = { id, records: [], feedback };
  const body = Buffer.from(JSON.stringify(call));
  if (body.length > MAX_CALL_BYTES) throw new CallRefused('more than one call may have');
  return body;
}
