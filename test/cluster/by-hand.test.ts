import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bringDown, bringUpDetached, findCluster } from './by-hand.ts';
import { isAlive } from './identity.ts';
import { recordedProcesses } from './state-folder.ts';

test('a cluster that was brought up stays until it is brought down', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-by-hand-'));
  const cluster = await bringUpDetached({ tier: 1, nodes: 1, folder, onProgress: () => {} });
  expect(findCluster(folder)?.url).toBe(cluster.url);
  const processes = recordedProcesses(cluster.state.path);
  expect(processes.every(isAlive)).toBe(true);

  await bringDown(folder);
  expect(findCluster(folder)).toBeUndefined();
  expect(processes.filter(isAlive)).toEqual([]);
  expect(existsSync(cluster.state.path)).toBe(false);
  await bringDown(folder); // nothing to do is fine
  await rm(folder, { recursive: true });
});
