/** What is known of a request that is replayed, and the request that this makes. */
import { isObject } from '@gatehouse/crds';
import type { LogRequest, LogRow } from '@gatehouse/crds/logs';
import { OPERATIONS, type Operation, type RequestBody } from '../../pipeline/index.ts';

export interface RecordedRequest {
  /** Rows of one request, in the order of the attempts; at least one. */
  readonly rows: readonly LogRow[];
  /** False: the final row alone is known. */
  readonly isWhole: boolean;
  /** Undefined: neither headers nor body were kept. */
  readonly request: LogRequest | undefined;
}

/** The final row, else the last one. */
export function finalOf({ rows }: RecordedRequest): LogRow {
  const row = rows.find(({ is_final }) => is_final) ?? rows.at(-1);
  if (row === undefined) throw new Error('a request has at least one row');
  return row;
}

/**
 * Whether a final row is all that a request has. Where targets are looked at for what one of them keeps and none has it, others were asked
 * behind the one whose answer is that of all: docs/behaviour/responses.md#stored-responses.
 */
export function isOnlyRow({ attempt, operation, status }: Pick<LogRow, 'attempt' | 'operation' | 'status'>): boolean {
  return attempt === 0 && !(operationOf(operation)?.looksUp === true && !isGood(status));
}

export const isGood = (status: number): boolean => status >= 200 && status <= 299;

/** Undefined: there is none of this name. */
export const operationOf = (name: string): Operation | undefined =>
  Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as keyof typeof OPERATIONS] : undefined; // it is one of them

/** Headers that hold keys are left out: the caller is known. Credentials in them are masked, and nothing is called with them. */
const KEYS: ReadonlySet<string> = new Set(['x-gw-api-key', 'authorization', 'x-api-key', 'api-key', 'x-goog-api-key']);

/** Headers as the request had them; of one whose headers were not kept those that its row tells. */
export function headersOf(recorded: RecordedRequest): ReadonlyMap<string, string> {
  const { request } = recorded;
  const given = request?.gwHeaders === undefined ? toldByRow(finalOf(recorded)) : request.gwHeaders;
  const all = [...Object.entries(request?.headers ?? {}), ...Object.entries(given)];
  return new Map(
    all.map(([name, value]) => [name.toLowerCase(), textOf(value)] as const).filter(([name]) => !KEYS.has(name)),
  );
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
};

const toldByRow = ({ config, account, provider, metadata }: LogRow): Readonly<Record<string, string>> => ({
  ...(config === null ? providerHeader(account, provider) : { 'x-gw-config': config }),
  ...(Object.keys(metadata).length === 0 ? {} : { 'x-gw-metadata': JSON.stringify(metadata) }),
});

const providerHeader = (account: string | null, provider: string | null): Readonly<Record<string, string>> => {
  const name = account === null ? provider : `@${account}`;
  return name === null ? {} : { 'x-gw-provider': name };
};

/** Whether the body is the client's, and not what the row tells of it. */
export const hasBody = ({ request }: RecordedRequest): boolean =>
  request !== undefined && isObject(request.body) && request.truncated !== true;

export function bodyOf(recorded: RecordedRequest): RequestBody {
  const { model, method } = finalOf(recorded);
  if (method === 'GET' || method === 'DELETE') return { kind: 'none' };
  const kept = recorded.request?.body;
  const value = hasBody(recorded) && isObject(kept) ? kept : { ...(model === null ? {} : { model }), messages: [] };
  return { kind: 'json', bytes: Buffer.from(JSON.stringify(value)), value: { ...value } };
}
