/** Rows of clients and of batches that are in the log already: they may come again in any batch, of which the server knows nothing. */
import type { ClickHouseClient } from '@clickhouse/client';
import { LOG_SCHEMA } from '@gatehouse/crds/logs';
import { LRUCache } from 'lru-cache';
import type { SealedBatch, WaitingRecord } from '../log-store.ts';

/** Batches under way: some of several processes, one of each. */
const MAX_BATCHES = 64;

export interface KnownRows {
  /** The records of the batch without rows of them that were there before, or that it has twice: the same ones for each try. */
  left(client: ClickHouseClient, batch: SealedBatch): Promise<readonly WaitingRecord[]>;
  /** The batch is written. */
  forget(batch: SealedBatch): void;
}

export function createKnownRows(): KnownRows {
  const known = new LRUCache<string, ReadonlySet<string>>({ max: MAX_BATCHES });
  return {
    left: async (client, { id, records }) => {
      const told = records.filter((record) => record.isTold);
      if (told.length === 0) return records;
      let before = known.get(id);
      if (before === undefined) {
        before = await idsOf(client, told);
        known.set(id, before);
      }
      const seen = new Set(before);
      return records.filter((record) => {
        if (!record.isTold) return true;
        const isNew = !seen.has(record.id);
        seen.add(record.id);
        return isNew;
      });
    },
    forget: ({ id }) => void known.delete(id),
  };
}

/** A server takes 128 KiB in a parameter: names of workspaces have up to 253 characters. */
const ROWS_OF_QUESTION = 500;

async function idsOf(client: ClickHouseClient, told: readonly WaitingRecord[]): Promise<ReadonlySet<string>> {
  const ids: string[] = [];
  for (let at = 0; at < told.length; at += ROWS_OF_QUESTION) {
    ids.push(...(await askForIds(client, told.slice(at, at + ROWS_OF_QUESTION))));
  }
  return new Set(ids);
}

/** By their place in the order of the table. */
async function askForIds(client: ClickHouseClient, told: readonly WaitingRecord[]): Promise<readonly string[]> {
  const found = await client.query({
    query: `select toString(id) as id from ${LOG_SCHEMA}.logs
      where workspace in {workspaces:Array(String)}
        and created_at in (select fromUnixTimestamp64Milli(arrayJoin({times:Array(Int64)}), 'UTC'))
        and id in (select toUUIDOrZero(arrayJoin({ids:Array(String)})))`,
    query_params: {
      workspaces: [...new Set(told.map(({ workspace }) => workspace))],
      times: [...new Set(told.map(({ createdAt }) => createdAt))],
      ids: told.map(({ id }) => id),
    },
    format: 'JSONEachRow',
  });
  return (await found.json<{ readonly id: string }>()).map(({ id }) => id);
}
