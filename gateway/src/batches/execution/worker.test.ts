import { expect, test } from 'vitest';
import { createBatchWorker } from './worker.ts';

interface Piece {
  readonly batch: string;
  readonly workspace: string;
}

/** Takes the oldest piece of a workspace that may have one, and works on it until it is ended. */
function setup(pieces: readonly string[], { maxRuns = 4, maxRunsOfWorkspace = 2 } = {}) {
  const waiting = pieces.map((batch): Piece => ({ batch, workspace: batch.slice(0, 1) }));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const worker = createBatchWorker<Piece>({
    claim: async ({ except }) => {
      const at = waiting.findIndex(({ workspace }) => except?.has(workspace) !== true);
      return at < 0 ? undefined : waiting.splice(at, 1)[0];
    },
    workOf: (piece) => piece,
    isReady: () => true,
    run: ({ batch }) => {
      begun.push(batch);
      return new Promise((resolve) => ends.set(batch, resolve));
    },
    onFailure: (error) => {
      throw error;
    },
    ...{ maxRuns, maxRunsOfWorkspace, leaseMs: 1_000, lookMs: 1_000_000, now: () => 0 },
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { worker, begun, settled, end: (batch: string) => ends.get(batch)?.(), ends };
}

test('a workspace has some pieces at a time, however many wait', async () => {
  const { worker, begun, settled } = setup(['a1', 'a2', 'a3', 'b1']);
  worker.start();
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('a workspace without a run goes before the older pieces of others', async () => {
  const { worker, begun, settled, end } = setup(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1'], { maxRuns: 4 });
  worker.start();
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  end('c1');
  await settled();
  expect(begun.at(-1)).toBe('b2');
});

test('what is under way when it stops is waited for', async () => {
  const { worker, begun, settled, ends } = setup(['a1', 'b1']);
  worker.start();
  await settled();
  const stopped = worker.stop();
  for (const end of ends.values()) end();
  await stopped;
  expect(begun).toEqual(['a1', 'b1']);
});
