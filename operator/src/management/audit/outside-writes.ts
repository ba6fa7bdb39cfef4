/** Records of writes with kubectl, Helm and GitOps: docs/behaviour/people.md#audit */
import { withoutBrokenText } from '@gatehouse/crds';
import { GROUP, KINDS, VERSION } from '@gatehouse/crds/kinds';
import type { AuditChange, AuditRow } from '@gatehouse/crds/records';
import { type Database, isAway, type Queries, WriteQueue } from '../database/index.ts';
import { stableUuid } from '../stable-uuid.ts';
import type { OutsideWrite } from '../store/index.ts';
import { withoutSecrets } from './masked-spec.ts';

export interface OutsideWrites {
  /** Never fails, and does not wait. `isFirst`: it may be old. */
  note(write: OutsideWrite, isFirst: boolean): void;
  /** Records that the database never got. */
  dropped(): number;
  /** Writes what is left, once. */
  close(): Promise<void>;
}

export interface OutsideWritesOptions {
  readonly database: Database;
  /** The workspace that has a namespace. Rejects with DatabaseAway to be asked again. */
  readonly workspaceOf: (namespace: string) => Promise<string | undefined>;
  /** Told of records that the database never got. Must not throw. */
  readonly onDropped: (count: number, refused?: unknown) => void;
  /** Unix time in ms. */
  readonly now: () => number;
  /** How long a write waits for the record of the call that it may be of, in ms. */
  readonly callWaitMs?: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
const BATCH = 50;
const RETRY_MS = 5_000;
const CALL_WAIT_MS = 10_000;
/** Of writes that wait: what comes then is written at once, so that there may be two records. */
const MAX_HELD = { records: 5_000, bytes: 8 * 1024 * 1024 };
/** Longer contents, as JSON, are left out: to mask them would hold up other work. */
const MAX_CONTENT = 64 * 1024;
/** What is older when a process starts has been seen by one before it, or is as old as the installation, in ms. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Around a write, in which the record of its call lies, in ms. */
const CALL_MS = 120_000;

interface Waiting {
  readonly row: Omit<AuditRow, 'changes' | 'workspace'>;
  readonly change: Pick<AuditChange, 'kind' | 'object' | 'action'>;
  readonly namespace: string | undefined;
  /** Of the change. */
  readonly json: string;
  readonly mayBeCall: boolean;
}

const sizeOf = ({ json }: Waiting): number => 1_000 + 2 * json.length;

/** Several processes see the same writes: a record has the same id in each of them. */
export function createOutsideWrites(options: OutsideWritesOptions): OutsideWrites {
  const { database, onDropped, now, callWaitMs = CALL_WAIT_MS } = options;
  let dropped = 0;
  const queue = new WriteQueue<Waiting>({
    write: async (batch) => {
      const placed = await Promise.all(batch.map((waiting) => inWorkspace(waiting, options)));
      await database.use((queries) => insert(queries, placed));
    },
    sizeOf,
    isTemporary: isAway,
    onDropped: (items, refused) => {
      dropped += items.length;
      onDropped(items.length, refused);
    },
    maxBytes: MAX_BYTES,
    batch: BATCH,
    retryMs: RETRY_MS,
  });
  const held = new Map<NodeJS.Timeout, Waiting>();
  let heldBytes = 0;
  return {
    note: (write, isFirst) => {
      const { time } = write;
      const ms = time === undefined ? now() : Date.parse(time);
      if (isFirst && now() - ms > MAX_AGE_MS) return;
      const waiting = toWaiting(write, new Date(ms));
      const isFull = held.size >= MAX_HELD.records || heldBytes + sizeOf(waiting) > MAX_HELD.bytes;
      if (!waiting.mayBeCall || isFull) return queue.add(waiting);
      const timer = setTimeout(() => {
        held.delete(timer);
        heldBytes -= sizeOf(waiting);
        queue.add(waiting);
      }, callWaitMs).unref();
      held.set(timer, waiting);
      heldBytes += sizeOf(waiting);
    },
    dropped: () => dropped,
    close: () => {
      for (const [timer, waiting] of held) {
        clearTimeout(timer);
        queue.add(waiting);
      }
      held.clear();
      return queue.close();
    },
  };
}

const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

function toWaiting(write: OutsideWrite, at: Date): Waiting {
  const { kind, namespace, name, uid, generation, action, mayBeCall, manager } = write;
  const { plural } = KINDS[kind];
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const version = `${uid}/${action === 'delete' ? 'deleted' : generation}`;
  const change = { kind, object: namespace === undefined ? name : `${namespace}/${name}`, action };
  const contents = { before: contentOf(write.before), after: contentOf(write.after) };
  const row = {
    ...{ id: stableUuid(`audit/${version}`), at, request_id: version },
    ...{ operation: `${plural}.${action}`, method: METHODS[action] },
    path: `/apis/${GROUP}/${VERSION}${place}/${plural}/${name}`,
    ...{ actor_type: 'anonymous' as const, actor_id: manager ?? null, actor_user: null },
    ...{ status: 200, error_code: null, forced: false, outside: true },
    ...{ request_body: null, query_params: null, request_headers: null, client_ip: null },
  };
  return { row, change, namespace, mayBeCall, json: withoutBrokenText(JSON.stringify([{ ...change, ...contents }])) };
}

function contentOf(spec: unknown): AuditChange['before'] {
  if (spec === undefined) return null;
  if (JSON.stringify(spec).length > MAX_CONTENT) return { omitted: true };
  return withoutSecrets(spec) as Record<string, unknown>; // a spec is an object
}

interface Placed extends Waiting {
  readonly workspace: string | null;
}

async function inWorkspace(
  waiting: Waiting,
  { workspaceOf }: Pick<OutsideWritesOptions, 'workspaceOf'>,
): Promise<Placed> {
  const { namespace } = waiting;
  return { ...waiting, workspace: (namespace === undefined ? undefined : await workspaceOf(namespace)) ?? null };
}

async function insert(queries: Queries, batch: readonly Placed[]): Promise<void> {
  const rows: (Omit<AuditRow, 'changes'> & { readonly changes: string })[] = [];
  for (const { row, change, mayBeCall, workspace, json } of batch) {
    if (mayBeCall && (await hasCall(queries, row.at, change))) continue;
    rows.push({ ...row, workspace, changes: json });
  }
  if (rows.length === 0) return;
  await queries
    .insertInto('audit_records')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Whether a call of the management API has made the write: the API server does not say. */
async function hasCall(queries: Queries, at: Date, { kind, object, action }: Waiting['change']): Promise<boolean> {
  const { sql } = await import('kysely');
  const change = JSON.stringify([{ kind, object, action }]);
  const found = await queries
    .selectFrom('audit_records')
    .select('id')
    .where('at', '>=', new Date(at.getTime() - CALL_MS))
    .where('at', '<=', new Date(at.getTime() + CALL_MS))
    .where('outside', '=', false)
    .where(sql<boolean>`changes @> ${change}::jsonb`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
