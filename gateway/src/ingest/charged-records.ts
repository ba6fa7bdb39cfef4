/** Which records were charged, by workspace. */

export interface ChargedRecords {
  /** False: it is known already. From now on it is. */
  add(workspace: string, id: string): boolean;
}

interface Known {
  readonly ids: Set<string>;
  /** Stands before the oldest: a new walk would pass all places that are empty by now. */
  readonly walk: Iterator<string>;
}

/**
 * Knows as many as `max`. Where more come, the workspace with the most forgets its oldest one: who has no more than an equal share
 * forgets none, whatever others send.
 */
export function createChargedRecords(max: number): ChargedRecords {
  const byWorkspace = new Map<string, Known>();
  /** Workspaces by how many they have, so that nobody is looked for. */
  const bySize = new Map<number, Set<string>>();
  let [count, most] = [0, 0];

  const resize = (workspace: string, from: number, to: number): void => {
    const before = bySize.get(from);
    before?.delete(workspace);
    if (before?.size === 0) bySize.delete(from);
    if (to === 0) byWorkspace.delete(workspace);
    else if (!bySize.get(to)?.add(workspace)) bySize.set(to, new Set([workspace]));
    count += to - from;
    // One that has shrunk by one: another is as large as it was, or it is the largest still.
    most = bySize.has(Math.max(most, to)) ? Math.max(most, to) : to;
  };
  const forgetOne = (): void => {
    const [workspace] = bySize.get(most) ?? [];
    const known = workspace === undefined ? undefined : byWorkspace.get(workspace);
    if (workspace === undefined || known === undefined) return;
    const { ids, walk } = known;
    ids.delete(walk.next().value ?? '');
    resize(workspace, ids.size + 1, ids.size);
  };
  return {
    add: (workspace, id) => {
      const known = byWorkspace.get(workspace) ?? openKnown();
      const { ids } = known;
      if (ids.has(id)) return false;
      ids.add(id);
      byWorkspace.set(workspace, known);
      resize(workspace, ids.size - 1, ids.size);
      if (count > max) forgetOne();
      return true;
    },
  };
}

function openKnown(): Known {
  const ids = new Set<string>();
  return { ids, walk: ids.values() };
}
