/** The gateway's own program, as images and sidecars run it: its Snapshot is a mounted copy, SIGTERM drains it. */
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SIDECAR_ALLOCATOR } from '@gatehouse/crds/kinds';
import { MOUNTED_COPY_KEY, SCHEMA_VERSION, toMountedCopy } from '@gatehouse/crds/snapshot';
import { bundleProgram } from '../../../../images/bundle.ts';
import type { Bench } from '../../bench.ts';
import { freePort } from '../../ports.ts';
import { createPeer, type Peer } from '../peer.ts';
import { benchEntries, type Contents } from './entries.ts';
import { CALLER, ENVIRONMENT } from './start.ts';

export interface Image extends Peer {
  readonly adminPort: number;
}

const PROFILE = 'bench';

/** Starts the program over the mounted copy in that folder. */
export async function startImage(bench: Bench, folder: string): Promise<Image> {
  const { processes, directory } = bench;
  const file = join(directory, 'gateway-image.js');
  if (!existsSync(file)) {
    bench.say("bundling the gateway's image");
    await bundleProgram('gateway', file);
  }
  const [port, adminPort] = [await freePort(), await freePort()];
  const running = await processes.startListener(process.execPath, port, {
    args: [file],
    env: {
      ...ENVIRONMENT,
      ...SIDECAR_ALLOCATOR,
      PORT: String(port),
      GATEHOUSE_ADMIN_PORT: String(adminPort),
      GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
      GATEHOUSE_SIDECAR_PROFILE: PROFILE,
      GATEHOUSE_SNAPSHOT_MOUNT_DIR: folder,
    },
  });
  return { ...createPeer('Gatehouse', running, { port, headers: CALLER }), adminPort };
}

/** Writes the mounted copy of that version the way kubelet does: a gateway never sees half a file. */
export async function writeMountedCopy(folder: string, version: number, contents: Contents): Promise<void> {
  const copy = toMountedCopy({ version, schemaVersion: SCHEMA_VERSION, entries: [...benchEntries(contents)] });
  for (const part of ['config', 'secret'] as const) {
    const place = join(folder, part);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'next'), copy[part]);
    await rename(join(place, 'next'), join(place, MOUNTED_COPY_KEY));
  }
}

/** The version of the Snapshot that the gateway serves; undefined before the first. */
export async function servedVersion({ adminPort }: Image): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/internal/snapshot`);
  const status = (await answer.json()) as { readonly version?: number }; // what the admin port answers
  return status.version;
}
