/** Contents that exist while they are sent to a provider, under ids that nobody can guess and that last as long. */
import type { Readable } from 'node:stream';
import { newId } from '../../lib/random.ts';

export interface HandedContents {
  /** The id of the content until `end`. */
  hand(workspace: string, open: () => Readable): { readonly id: string; end(): void };
  open(workspace: string, id: string): Readable | undefined;
}

export function createHandedContents(): HandedContents {
  const contents = new Map<string, () => Readable>();
  const nameOf = (workspace: string, id: string): string => `${workspace}/${id}`;
  return {
    hand: (workspace, open) => {
      const id = newId('gw_file_', 32);
      const name = nameOf(workspace, id);
      contents.set(name, open);
      return { id, end: () => void contents.delete(name) };
    },
    open: (workspace, id) => contents.get(nameOf(workspace, id))?.(),
  };
}
