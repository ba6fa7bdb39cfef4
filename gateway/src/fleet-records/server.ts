/** The fleet's side: takes rows of the request log from pods of sidecars, each for its own workspace. */
import type { LogRow } from '@gatehouse/crds/logs';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import { type Pod, type PodPorts, podOfToken } from '../fleet-counters/index.ts';
import { DEFAULT_JSON_LIMITS, JsonScan } from '../lib/json/index.ts';
import type { LogRecord, RequestLog } from '../request-log/index.ts';
import { MAX_CALL_BYTES, type RecordsReply, recordsRequest, wireRow } from './protocol.ts';
import { busy, createRates } from './rates.ts';

export interface RecordsServerPorts extends PodPorts {
  readonly log: Pick<RequestLog, 'add' | 'isBusy'>;
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
/** A document has a handful of bodies, which may be escaped, and headers. */
const DOCUMENT_BODIES = 8;
const DOCUMENT_HEADERS: number = 256 * 1024;
const DOCUMENT_JSON = { ...DEFAULT_JSON_LIMITS, nodes: MAX_CALL_BYTES, stringBytes: MAX_CALL_BYTES };
/** Of a row in memory for each character of its JSON. */
const BYTES_PER_CHARACTER = 2;

export function createRecordsServer(ports: RecordsServerPorts): RecordsServer {
  const rates = createRates();
  const taken = new LRUCache<string, Map<string, RecordsReply>>({ max: MAX_PODS });
  return {
    identify: async (token, bytes = MAX_CALL_BYTES) => {
      const pod = await podOfToken(token, ports);
      if (ports.log.isBusy()) throw busy('cannot send rows while the database of the request log is behind');
      rates.admit(pod.id, pod.workspace, { bytes, nowMs: ports.now() });
      return pod;
    },
    answer: async (pod, body) => {
      const { id, records } = parse(body);
      const known = taken.get(pod.id) ?? new Map<string, RecordsReply>();
      const before = known.get(id);
      if (before !== undefined) {
        ports.onRows('repeated', records.length);
        return before;
      }
      const rows = recordsOf(records, pod, ports);
      const reply = { refused: records.length - rows.length };
      for (const row of rows) ports.log.add(row);
      taken.set(pod.id, known.set(id, reply));
      const [oldest] = known.keys();
      if (known.size > MAX_BATCHES && oldest !== undefined) known.delete(oldest);
      ports.onRows('accepted', rows.length);
      ports.onRows('refused', reply.refused);
      return reply;
    },
  };
}

type Given = ReturnType<typeof parse>['records'];

function parse(body: unknown) {
  const { data, error } = recordsRequest.safeParse(body);
  if (data !== undefined) return data;
  throw invalid(error.issues[0]?.path.join('.') ?? '');
}

const invalid = (param: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: 'Bad request: not what a sidecar of this version sends' });

function recordsOf(given: Given, pod: Pod, ports: RecordsServerPorts): readonly LogRecord[] {
  const nowMs = ports.now();
  const keepsContent = ports.maxBodyBytes > 0 && keepsBodies(pod);
  let malformed = 0;
  return given.flatMap(({ row, content }, at): readonly LogRecord[] => {
    const { data, error } = wireRow.safeParse(row);
    if (data === undefined) {
      malformed += 1;
      if (malformed > MAX_MALFORMED) throw invalid(`records.${at}.row.${error.issues[0]?.path.join('.') ?? ''}`);
      return [];
    }
    if (!isOfPod(data, pod) || data.created_at < nowMs - OLDEST_MS || data.created_at > nowMs + AHEAD_MS) return [];
    const isKept = content !== undefined && keepsContent && isDocument(content, ports.maxBodyBytes);
    const own: LogRow = { ...data, workspace: pod.workspace, key_user: null, document: 'none' };
    return [
      {
        row: own,
        content: isKept ? content : undefined,
        rowBytes: BYTES_PER_CHARACTER * JSON.stringify(own).length,
      },
    ];
  });
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

/** An object in JSON that its readers can take; a row without one is kept. */
function isDocument(content: string, maxBodyBytes: number): boolean {
  if (!content.startsWith('{') || content.length > DOCUMENT_BODIES * maxBodyBytes + DOCUMENT_HEADERS) return false;
  const bytes = Buffer.from(content);
  const scan = new JsonScan(bytes, DOCUMENT_JSON);
  scan.run(bytes.length);
  return scan.problem === undefined;
}
