import { createHash } from 'node:crypto';
import {
  type RedisConnection,
  type RedisScript,
  type RunOptions,
  runScript,
  StoreUnavailable,
  type UnavailableReason,
} from '../store/index.ts';
import type { BudgetStore, SyncReply, SyncRequest } from './budget-store.ts';
import { SYNC } from './redis-script.ts';

/** Counters in one script: bounds how long the server is busy with it. */
const MAX_PER_SCRIPT = 50;
/** Longer ids stand in keys as their digest: parts of them come from callers. */
const MAX_ID = 200;

/** Counters shared by all gateways with this Redis. Its clock decides when a period is over. */
export function createRedisBudgetStore(connection: RedisConnection, options: RunOptions = {}): BudgetStore {
  return {
    sync: async (requests) => {
      const replies: SyncReply[] = [];
      const run = async (positions: readonly number[]): Promise<void> => {
        const answers = await syncTogether(
          connection,
          positions.map((i) => requests[i] as SyncRequest), // a position of the requests
          options,
        );
        positions.forEach((position, i) => {
          replies[position] = answers[i] ?? FAILED;
        });
      };
      await Promise.all(together(requests).map(run));
      return replies;
    },
    close: async () => undefined, // the connection belongs to others, too
  };
}

/** What it runs. */
export const BUDGET_SCRIPTS: readonly RedisScript[] = [SYNC];

const FAILED: SyncReply = { status: 'failed', isApplied: undefined };

/** The positions of requests that one script may serve. */
function together(requests: readonly SyncRequest[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  const open = new Map<string, number[]>();
  requests.forEach(({ slot }, i) => {
    let group = open.get(slot);
    if (group === undefined || group.length === MAX_PER_SCRIPT) {
      group = [];
      open.set(slot, group);
      groups.push(group);
    }
    group.push(i);
  });
  return groups;
}

async function syncTogether(
  connection: RedisConnection,
  requests: readonly SyncRequest[],
  options: RunOptions,
): Promise<readonly SyncReply[]> {
  try {
    const input = { keys: requests.map(keyOf), args: requests.flatMap(argsOf) };
    const replies = await runScript(connection, SYNC, input, options);
    return Array.isArray(replies) ? replies.map(toReply) : [];
  } catch (error) {
    const isApplied = error instanceof StoreUnavailable && NOT_APPLIED.has(error.reason) ? false : undefined;
    return requests.map(() => ({ status: 'failed', isApplied }));
  }
}

/** The server has not seen the request, or has refused it. */
const NOT_APPLIED: ReadonlySet<UnavailableReason> = new Set<UnavailableReason>(['disconnected', 'busy', 'refused']);

/** The counters of one owner share a hash tag, so that one script may use them in a cluster. Never an empty tag. */
function keyOf({ id, slot }: SyncRequest): string {
  const name = id.length > MAX_ID ? createHash('sha256').update(id).digest('base64url') : id;
  return `{budgets:${slot}}:${name}`;
}

const NONE = -1;

function argsOf(request: SyncRequest): (string | number)[] {
  const { period, limit, holder, sequence, spentIn, spent, held, more, spare, leaseMs, generation, seed } = request;
  return [
    ...[period.startMs, period.endMs ?? NONE, limit, holder, sequence, spentIn, spent, held, more],
    ...[spare ? 1 : 0, leaseMs, generation],
    ...[seed?.generation ?? '', seed?.periodStartMs ?? NONE, seed?.total ?? NONE],
  ];
}

function toReply(reply: unknown): SyncReply {
  if (!Array.isArray(reply)) return FAILED;
  const [status, nowMs, periodStartMs, generation, total, held, heldByOthers, holders] = reply;
  switch (status) {
    case 1:
      return {
        ...{ status: 'done', nowMs, periodStartMs, generation, holders },
        ...{ total: Number(total), held: Number(held), heldByOthers: Number(heldByOthers) },
      };
    case 2:
      return { status: 'clock', nowMs };
    case 3:
      return { status: 'generation', generation, nowMs };
    default:
      return { status: 'failed', isApplied: false };
  }
}
