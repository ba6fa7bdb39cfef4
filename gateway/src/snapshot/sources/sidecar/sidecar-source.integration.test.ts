import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MOUNTED_COPY_KEY, SCHEMA_VERSION, type Snapshot, toMountedCopy } from '@gatehouse/crds/snapshot';
import { waitFor } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SnapshotHolder, SnapshotStatus } from '../../holder.ts';
import type { SnapshotSource } from '../source.ts';
import { createSidecarSource, type SidecarSourceSettings } from './index.ts';

const HOUR_MS = 3_600_000;
/** A port without a listener. */
const SERVICE = { origin: 'http://127.0.0.1:1', caFile: undefined, tokenFile: undefined };

let folder: string;
let loaded: { readonly version: number; readonly snapshot: Snapshot }[];
let source: SnapshotSource | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sidecar-'));
  loaded = [];
});
afterEach(async () => {
  await source?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the mounted copy as it was left so long ago. */
function mount(version: number, ageMs: number): void {
  const copy = toMountedCopy({ version, schemaVersion: SCHEMA_VERSION, entries: [] });
  const writtenSeconds = (Date.now() - ageMs) / 1_000;
  for (const part of ['config', 'secret'] as const) {
    mkdirSync(join(folder, part), { recursive: true });
    const path = join(folder, part, MOUNTED_COPY_KEY);
    writeFileSync(path, copy[part]);
    utimesSync(path, writtenSeconds, writtenSeconds);
  }
}

function start(settings: Partial<SidecarSourceSettings> = {}): SnapshotSource {
  const status: SnapshotStatus = {
    ...{ version: undefined, epoch: 0, digest: undefined, entries: 0, rejected: undefined, skipped: [] },
  };
  const snapshots: Pick<SnapshotHolder, 'load'> = {
    load: async (version, snapshot) => {
      loaded.push({ version, snapshot });
      return status;
    },
  };
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  source = createSidecarSource(
    { folder, service: SERVICE, maxAgeMs: HOUR_MS, ...settings },
    { snapshots: snapshots as SnapshotHolder, log: quiet, random: () => 0, onConnected: () => {} }, // it only loads
  );
  source.start();
  return source;
}

const versions = (): number[] => loaded.map(({ version }) => version);
const untilSeen = (problem: string): Promise<unknown> =>
  waitFor(() => source?.status().problem?.includes(problem) === true, { what: problem });

describe('a sidecar that cannot reach the snapshot service', () => {
  test('serves a mounted copy that is not too old', async () => {
    mount(7, HOUR_MS / 2);
    start();
    await waitFor(() => loaded.length > 0, { what: 'a load' });
    expect(versions()).toEqual([7]);
  });

  test('does not begin to serve a mounted copy that no operator has confirmed within the maximum age', async () => {
    mount(7, 2 * HOUR_MS);
    start();
    await untilSeen('confirmed');
    expect(versions()).toEqual([]);
  });

  test('stops serving when what it has becomes too old, and begins again with a copy that is new', async () => {
    mount(7, HOUR_MS - 3_000);
    start();
    await waitFor(() => loaded.length === 2, { what: 'the end' });
    expect(versions()).toEqual([7, 0]);
    expect(loaded[1]?.snapshot.entries).toEqual([]);
    expect(source?.status()).toMatchObject({ servedFrom: undefined, problem: expect.stringContaining('confirmed') });
    mount(8, 0);
    await waitFor(() => loaded.length === 3, { what: 'the new copy' });
    expect(versions()).toEqual([7, 0, 8]);
    expect(source?.status().servedFrom).toBe('the mounted copy');
  });

  test('stops serving also when the copy is gone', async () => {
    mount(7, HOUR_MS - 3_000);
    start();
    await waitFor(() => loaded.length === 1, { what: 'a load' });
    for (const part of ['config', 'secret']) rmSync(join(folder, part, MOUNTED_COPY_KEY));
    await waitFor(() => loaded.length === 2, { what: 'the end' });
    expect(versions()).toEqual([7, 0]);
  });
});

test('a sidecar without a snapshot service serves its mounted copy for as long as it is mounted', async () => {
  mount(7, 1_000 * HOUR_MS);
  start({ service: undefined });
  await waitFor(() => loaded.length > 0, { what: 'a load' });
  expect(versions()).toEqual([7]);
});
