import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ENVIRONMENT, writeSnapshot } from '../peers/gatehouse/start.ts';
import type { Features } from '../peers/index.ts';
import { Processes } from '../processes.ts';
import type { CpuCost, CpuReady } from './cpu-process.ts';

const PROGRAM = new URL('./cpu-process.ts', import.meta.url);

async function measured(features: Features, variables: Readonly<Record<string, string>> = {}): Promise<CpuCost> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-cpu-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await using processes = new Processes();
  const contents = { upstream: 'http://127.0.0.1:9/v1', keys: 1, providers: 0, configs: 0, features };
  const SNAPSHOT = await writeSnapshot({ directory }, contents);
  const { ask } = await processes.startNode<CpuReady>(PROGRAM, {
    execArgv: ['--conditions=@gatehouse/source'],
    env: { ...ENVIRONMENT, ...variables, SNAPSHOT, REQUESTS: '100' },
  });
  return await ask<CpuCost>();
}

test.for<Features>(['limits', 'personal data'])('the cost of requests with %s is measured', async (features) => {
  const { cpuUs, allocatedBytes } = await measured(features);
  expect(Math.min(cpuUs, allocatedBytes)).toBeGreaterThan(0);
});

test('the cost of a request log is measured until all is written', async () => {
  const lines: string[] = [];
  const sink = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://sink').searchParams.get('query') ?? '';
    const table = /^insert into gateway_logs\.(\w+)/.exec(query)?.[1];
    const bytes = Buffer.concat(await request.toArray());
    if (table !== undefined) lines.push(...Array<string>(linesIn(zstdDecompressSync(bytes))).fill(table));
    response.end();
  });
  await once(sink.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void sink.close());
  const { port } = sink.address() as AddressInfo; // of a TCP port
  const { cpuUs } = await measured('unlimited', { LOG_URL: `http://127.0.0.1:${port}`, BODY_BYTES: '65536' });
  expect(cpuUs).toBeGreaterThan(0);
  expect(lines.toSorted()).toEqual([...Array(100).fill('documents'), ...Array(100).fill('logs')]);
});

const linesIn = (bytes: Buffer): number => bytes.toString().split('\n').length - 1;
