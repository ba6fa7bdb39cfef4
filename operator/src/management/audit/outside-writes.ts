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
  /** How long a deletion waits for the record of the call that it may be of, in ms. */
  readonly deletionWaitMs?: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
const BATCH = 50;
const RETRY_MS = 5_000;
const DELETION_WAIT_MS = 10_000;
/** Of more deletions the record of the call may come later: then there are two. */
const MAX_HELD = 5_000;
/** What is older when a process starts has been seen by one before it, or is as old as the installation, in ms. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Around a deletion, in which the record of its call lies, in ms. */
const CALL_MS = 120_000;

interface Waiting {
  readonly row: Omit<AuditRow, 'changes' | 'workspace'>;
  readonly change: AuditChange;
  readonly namespace: string | undefined;
  readonly json: string;
}

/** Several processes see the same writes: a record has the same id in each of them. */
export function createOutsideWrites(options: OutsideWritesOptions): OutsideWrites {
  const { database, onDropped, now, deletionWaitMs = DELETION_WAIT_MS } = options;
  let dropped = 0;
  const queue = new WriteQueue<Waiting>({
    write: async (batch) => {
      const placed = await Promise.all(batch.map((waiting) => inWorkspace(waiting, options)));
      await database.use((queries) => insert(queries, placed));
    },
    sizeOf: ({ json }) => 500 + json.length,
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
  return {
    note: (write, isFirst) => {
      const { action, time } = write;
      const ms = time === undefined ? now() : Date.parse(time);
      if (isFirst && now() - ms > MAX_AGE_MS) return;
      const waiting = toWaiting(write, new Date(ms));
      if (action !== 'delete' || held.size >= MAX_HELD) return queue.add(waiting);
      const timer = setTimeout(() => {
        held.delete(timer);
        queue.add(waiting);
      }, deletionWaitMs).unref();
      held.set(timer, waiting);
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

function toWaiting({ kind, namespace, name, uid, generation, action, manager, before, after }: OutsideWrite, at: Date) {
  const { plural } = KINDS[kind];
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const version = `${uid}/${action === 'delete' ? 'deleted' : generation}`;
  const change: AuditChange = {
    kind,
    object: namespace === undefined ? name : `${namespace}/${name}`,
    action,
    before: contentOf(before),
    after: contentOf(after),
  };
  const row = {
    ...{ id: stableUuid(`audit/${version}`), at, request_id: version },
    ...{ operation: `${plural}.${action}`, method: METHODS[action] },
    path: `/apis/${GROUP}/${VERSION}${place}/${plural}/${name}`,
    ...{ actor_type: 'anonymous' as const, actor_id: manager ?? null, actor_user: null },
    ...{ status: 200, error_code: null, forced: false, outside: true },
  };
  return { row, change, namespace, json: withoutBrokenText(JSON.stringify([change])) };
}

const contentOf = (spec: unknown): AuditChange['before'] =>
  spec === undefined ? null : (withoutSecrets(spec) as Record<string, unknown>); // a spec is an object

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
  for (const { row, change, workspace, json } of batch) {
    if (change.action === 'delete' && (await hasCall(queries, row.at, change))) continue;
    rows.push({ ...row, workspace, changes: json });
  }
  if (rows.length === 0) return;
  await queries
    .insertInto('audit_records')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Whether a call of the management API has deleted the object: the API server does not say who did. */
async function hasCall(queries: Queries, at: Date, { kind, object, action }: AuditChange): Promise<boolean> {
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
