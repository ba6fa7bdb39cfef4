/**
 * The gateway as its image runs it, over a Snapshot from the file SNAPSHOT (an entry per line). Its one message says where
 * it listens and how the load went.
 */
import { createReadStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { type AnyEntry, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { createGateway, readEnvironment, toSettings } from '@gatehouse/gateway';

export interface GatehouseReady {
  readonly port: number;
  readonly adminPort: number;
  readonly entries: number;
  readonly loadMs: number;
  readonly longestStallMs: number;
}

const DELAY_STEP_MS = 1;

async function readEntries(path: string): Promise<AnyEntry[]> {
  const entries: AnyEntry[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) entries.push(JSON.parse(line));
  return entries;
}

const gateway = createGateway({ settings: toSettings(readEnvironment(process.env)), variables: process.env });
const releaseMemory = () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }); // as its image does
releaseMemory();
const entries = await readEntries(process.env['SNAPSHOT'] ?? '');
const delay = monitorEventLoopDelay({ resolution: DELAY_STEP_MS });
delay.enable();
const startedMs = performance.now();
const status = await gateway.snapshots.load(1, { schemaVersion: SCHEMA_VERSION, entries });
const loadMs = performance.now() - startedMs;
delay.disable();
releaseMemory();
if (status.rejected !== undefined || status.skipped.length > 0) throw new Error(JSON.stringify(status));
const { port, adminPort } = await gateway.listen();
process.once('disconnect', () => process.exit(0));
const ready: GatehouseReady = {
  port,
  adminPort,
  entries: status.entries,
  loadMs,
  longestStallMs: Math.max(0, delay.max / 1e6 - DELAY_STEP_MS),
};
process.send?.(ready);
