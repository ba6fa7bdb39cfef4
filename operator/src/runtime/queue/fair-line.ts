import { namespaceOf, type ObjectKey } from '../client/index.ts';
import { createFifo, type Fifo } from './fifo.ts';

/**
 * Keys in one line per namespace; the namespaces alternate, so that a busy one delays the others by one key at most.
 */
export interface FairLine {
  push(key: ObjectKey): void;
  shift(): ObjectKey | undefined;
}

export function createFairLine(): FairLine {
  const lines = new Map<string, Fifo<ObjectKey>>();
  const turns = createFifo<string>();
  return {
    push: (key) => {
      const namespace = namespaceOf(key);
      const line = lines.get(namespace);
      if (line !== undefined) return line.push(key);
      const fresh = createFifo<ObjectKey>();
      fresh.push(key);
      lines.set(namespace, fresh);
      turns.push(namespace);
    },
    shift: () => {
      const namespace = turns.shift();
      const line = namespace === undefined ? undefined : lines.get(namespace);
      if (namespace === undefined || line === undefined) return undefined;
      const key = line.shift();
      if (line.size > 0) turns.push(namespace);
      else lines.delete(namespace);
      return key;
    },
  };
}
