/** The fleet's side: takes rows of the request log from pods of sidecars, each for its own workspace. */
import { isObject } from '@gatehouse/crds';
import type { LogRow } from '@gatehouse/crds/logs';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import { type Pod, type PodPorts, podOfToken } from '../fleet-counters/index.ts';
import { atMostEntries } from '../lib/entry-bound.ts';
import { forEachInSlices } from '../lib/slices.ts';
import type { LogFeedback, LogRecord, RequestLog } from '../request-log/index.ts';
import { hasAtMost, isWithinCounts, MAX_FEEDBACK, MAX_FEEDBACK_METADATA, MAX_ROWS } from './counts.ts';
import { createDocumentCheck } from './document.ts';
import { ownId } from './own-id.ts';
import { MAX_CALL_BYTES, type RecordsReply, recordsRequest, type WireRow, wireFeedback, wireRow } from './protocol.ts';
import { busy, createRates } from './rates.ts';

export interface RecordsServerPorts extends PodPorts {
  readonly log: Pick<RequestLog, 'add' | 'addFeedback' | 'admitsFeedback' | 'isBusy'>;
  /** Of each body that the fleet keeps; 0: none. */
  readonly maxBodyBytes: number;
  /** Told of rows, by what became of them. */
  onRows(result: RowResult, rows: number): void;
  /** Unix time in ms. */
  now(): number;
}

export type RowResult = 'accepted' | 'refused' | 'repeated';

export interface RecordsServer {
  /** `bytes`: of the call, where they are announced. Rejects as `podOfToken`, and with SIDECAR_BUSY. */
  identify(token: string | undefined, bytes: number | undefined): Promise<Pod>;
  /** Rejects with AppError PARAMETER_INVALID for a body that is not what sidecars send; then no row of it was taken. */
  answer(pod: Pod, body: unknown): Promise<RecordsReply>;
}

/** Checking rows that are none costs more than those that are: a call with more of them is refused as a whole. */
const MAX_MALFORMED = 16;
/** How old rows may be that waited in a sidecar, and how far its clock may be ahead, in ms. Each day makes tables. */
const OLDEST_MS = 86_400_000;
const AHEAD_MS = 300_000;
/** Batches that are remembered of a pod: it sends one after the other, in parts where it must. */
const MAX_BATCHES = 8;
const MAX_PODS = 10_000;
/** Of a row in memory for each character of its JSON. */
const BYTES_PER_CHARACTER = 2;

export function createRecordsServer(ports: RecordsServerPorts): RecordsServer {
  const rates = createRates();
  const taken = new LRUCache<string, Map<string, Promise<RecordsReply>>>(atMostEntries(MAX_PODS));
  return {
    identify: async (token, bytes = MAX_CALL_BYTES) => {
      const pod = await podOfToken(token, ports);
      checkRoom(ports);
      rates.admit(pod.id, pod.workspace, { bytes, nowMs: ports.now() });
      return pod;
    },
    answer: async (pod, body) => {
      const call = parse(body);
      const { id, records } = call;
      const known = taken.get(pod.id) ?? new Map<string, Promise<RecordsReply>>();
      const before = known.get(id);
      if (before !== undefined) {
        const reply = await before;
        ports.onRows('repeated', records.length);
        return reply;
      }
      const reply = take(call, pod, ports);
      taken.set(pod.id, known.set(id, reply));
      const [oldest] = known.keys();
      if (known.size > MAX_BATCHES && oldest !== undefined) known.delete(oldest);
      try {
        return await reply;
      } catch (error) {
        if (known.get(id) === reply) known.delete(id);
        throw error;
      }
    },
  };
}

/** Throws SIDECAR_BUSY. */
function checkRoom({ log }: RecordsServerPorts): void {
  if (log.isBusy()) throw busy('cannot send rows while the request log is behind');
}

/** Throws SIDECAR_BUSY, or PARAMETER_INVALID for what has to come in parts. */
function checkFeedbackRoom(feedback: readonly LogFeedback[], { log }: RecordsServerPorts): void {
  if (feedback.length === 0) return;
  const admission = log.admitsFeedback(feedback);
  if (admission === 'later') throw busy('cannot send feedback while the request log is behind');
  if (admission === 'never') throw invalid('feedback');
}

/** All rows that may be taken, or none. */
async function take(
  { records, feedback: said = [] }: Call,
  pod: Pod,
  ports: RecordsServerPorts,
): Promise<RecordsReply> {
  const rows = await recordsOf(records, pod, ports);
  const feedback = await feedbackOf(said, pod, ports.now());
  checkRoom(ports); // calls that came in beside this one may have filled it
  checkFeedbackRoom(feedback, ports);
  for (const row of rows) ports.log.add(row);
  for (const one of feedback) ports.log.addFeedback(one);
  const refused = records.length - rows.length;
  ports.onRows('accepted', rows.length);
  ports.onRows('refused', refused);
  return { refused: refused + said.length - feedback.length };
}

type Call = ReturnType<typeof parse>;
type Given = Call['records'];

function parse(body: unknown) {
  if (isObject(body) && !hasAtMost(body['records'], MAX_ROWS)) throw invalid('records');
  if (isObject(body) && !hasAtMost(body['feedback'], MAX_FEEDBACK)) throw invalid('feedback');
  const { data, error } = recordsRequest.safeParse(body);
  if (data !== undefined) return data;
  throw invalid(error.issues[0]?.path.join('.') ?? '');
}

const invalid = (param: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: 'Bad request: not what a sidecar of this version sends' });

async function recordsOf(given: Given, pod: Pod, ports: RecordsServerPorts): Promise<readonly LogRecord[]> {
  const keepsContent = ports.maxBodyBytes > 0 && keepsBodies(pod);
  const check = createDocumentCheck(ports.maxBodyBytes);
  const records: LogRecord[] = [];
  for (const { content, ...record } of await rowsOf(given, pod, ports.now())) {
    const isKept = content !== undefined && keepsContent && (await check.isDocument(content));
    records.push({ ...record, content: isKept ? content : undefined });
  }
  return records;
}

/** Records whose documents were not looked at yet. `nowMs`: Unix time in ms. */
async function rowsOf(given: Given, pod: Pod, nowMs: number): Promise<readonly LogRecord[]> {
  const rows: LogRecord[] = [];
  let at = 0;
  let malformed = 0;
  await forEachInSlices(given, ({ row, content }) => {
    const { data, path } = readRow(row);
    if (data === undefined) {
      malformed += 1;
      if (malformed > MAX_MALFORMED) throw invalid(`records.${at}.row${path}`);
    } else if (isOfPod(data, pod) && isRecent(data.created_at, nowMs)) {
      const { workspace } = pod;
      const own: LogRow = { ...data, id: ownId(pod, data.id), workspace, key_user: null, document: 'none' };
      rows.push({ row: own, content, rowBytes: BYTES_PER_CHARACTER * JSON.stringify(own).length });
    }
    at += 1;
  });
  return rows;
}

/** `path`: of what is wrong. */
function readRow(row: unknown): { readonly data?: WireRow; readonly path: string } {
  if (!isWithinCounts(row)) return { path: '' };
  const { data, error } = wireRow.safeParse(row);
  return data === undefined ? { path: `.${error.issues[0]?.path.join('.') ?? ''}` } : { data, path: '' };
}

const isRecent = (createdAt: number, nowMs: number): boolean =>
  createdAt >= nowMs - OLDEST_MS && createdAt <= nowMs + AHEAD_MS;

/** Feedback that may be taken, as of the pod. Rejects as for rows. `nowMs`: Unix time in ms. */
async function feedbackOf(given: readonly unknown[], pod: Pod, nowMs: number): Promise<readonly LogFeedback[]> {
  const { workspace } = pod;
  const taken: LogFeedback[] = [];
  let malformed = 0;
  await forEachInSlices(given, (one) => {
    const isBounded = isObject(one) && hasAtMost(one['metadata'], MAX_FEEDBACK_METADATA);
    const data = isBounded ? wireFeedback.safeParse(one).data : undefined;
    if (data === undefined) {
      malformed += 1;
      if (malformed > MAX_MALFORMED) throw invalid('feedback');
    } else if (isOfPod(data, pod) && isRecent(data.created_at, nowMs)) {
      taken.push({ ...data, id: ownId(pod, data.id), workspace, key_user: null });
    }
  });
  return taken;
}

/** The caller of a sidecar is a profile of the workspace: no row names the key of anybody. */
const isOfPod = (row: Pick<LogRow, 'workspace' | 'api_key'>, { workspace }: Pod): boolean =>
  row.workspace === workspace && row.api_key?.startsWith(`sidecar/${workspace}/`) === true;

/** What the organisation enforces, else what the workspace says, counts here, too. */
function keepsBodies({ snapshot, workspace }: Pod): boolean {
  const { bodies, enforced } = snapshot.organisation.logging ?? {};
  const said = enforced === true ? bodies : (snapshot.workspace(workspace)?.logging?.bodies ?? bodies);
  return said !== 'none';
}
