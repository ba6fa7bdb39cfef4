import type { KubeObject } from '../client/index.ts';

export interface StatusWrite {
  /** As it was when the status was computed. */
  readonly object: KubeObject;
  readonly status: Readonly<Record<string, unknown>>;
}

/** Statuses that were written to objects whose cached version is still the old one. */
export interface RecentWrites {
  add(id: string, write: StatusWrite): void;
  drop(id: string): void;
  /** The status that was written to this version of the object. */
  find(id: string, object: KubeObject): StatusWrite['status'] | undefined;
}

/** Remembers the last `max` writes. */
export function createRecentWrites(max: number): RecentWrites {
  const writes = new Map<string, StatusWrite>();
  return {
    add: (id, write) => {
      writes.delete(id);
      writes.set(id, write);
      const [oldest] = writes.keys();
      if (writes.size > max && oldest !== undefined) writes.delete(oldest);
    },
    drop: (id) => {
      writes.delete(id);
    },
    find: (id, object) => {
      const write = writes.get(id);
      return write !== undefined && isSameVersion(write.object, object) ? write.status : undefined;
    },
  };
}

const isSameVersion = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
