import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ENVIRONMENT, writeSnapshot } from '../peers/gatehouse/start.ts';
import type { Features } from '../peers/index.ts';
import { Processes } from '../processes.ts';
import type { CpuCost, CpuReady } from './cpu-process.ts';

const PROGRAM = new URL('./cpu-process.ts', import.meta.url);

test.for<Features>(['limits', 'personal data'])('the cost of requests with %s is measured', async (features) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-cpu-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await using processes = new Processes();
  const contents = { upstream: 'http://127.0.0.1:9/v1', keys: 1, providers: 0, configs: 0, features };
  const SNAPSHOT = await writeSnapshot({ directory }, contents);
  const { ask } = await processes.startNode<CpuReady>(PROGRAM, {
    execArgv: ['--conditions=@gatehouse/source'],
    env: { ...ENVIRONMENT, SNAPSHOT, REQUESTS: '100' },
  });
  const { cpuUs, allocatedBytes } = await ask<CpuCost>();
  expect(Math.min(cpuUs, allocatedBytes)).toBeGreaterThan(0);
});
