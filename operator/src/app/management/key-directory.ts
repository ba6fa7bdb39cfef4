/** The keys of the installation in memory, kept up to date by frames of the operator. */
import type { KeyRecord, KeyStreamFrame } from '@gatehouse/crds/snapshot';
import { callerOfKey, hashesOf, type KeyDirectory } from '../../management/index.ts';

export interface FollowedKeys extends KeyDirectory {
  /** Frames of a stream that has just opened: what is known stays until all of them have come. */
  begin(): (frame: KeyStreamFrame) => void;
  /** Undefined before the first list is complete. */
  readonly size: number | undefined;
}

export function createFollowedKeys(): FollowedKeys {
  let current: KeyTable | undefined;
  return {
    find: (sha256) => {
      const record = current?.byHash.get(sha256);
      return record === undefined ? undefined : callerOfKey(record, sha256);
    },
    begin: () => {
      const table = createTable();
      return (frame) => {
        if (frame.kind === 'ping') return;
        for (const id of frame.gone) table.remove(id);
        for (const record of frame.set) table.remove(record.id); // a hash may go from one key to another
        for (const record of frame.set) table.add(record);
        if (!frame.more) current = table;
      };
    },
    get size() {
      return current?.byId.size;
    },
  };
}

interface KeyTable {
  readonly byId: ReadonlyMap<string, KeyRecord>;
  readonly byHash: ReadonlyMap<string, KeyRecord>;
  add(record: KeyRecord): void;
  remove(id: string): void;
}

function createTable(): KeyTable {
  const byId = new Map<string, KeyRecord>();
  const byHash = new Map<string, KeyRecord>();
  return {
    byId,
    byHash,
    add: (record) => {
      byId.set(record.id, record);
      for (const hash of hashesOf(record.body)) byHash.set(hash, record);
    },
    remove: (id) => {
      const known = byId.get(id);
      for (const hash of known === undefined ? [] : hashesOf(known.body)) {
        if (byHash.get(hash)?.id === id) byHash.delete(hash);
      }
      byId.delete(id);
    },
  };
}
