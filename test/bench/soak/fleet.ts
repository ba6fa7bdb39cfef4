/** Two gateways that serve one Snapshot, as a fleet does: its changes reach both, and a rollout replaces both. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Image, servedVersion, startImage, upstreamUrl, writeMountedCopy } from '../peers/index.ts';

export interface Fleet {
  gateways(): readonly Image[];
  /** Changes the Snapshot; resolves when every gateway serves it. */
  change(): Promise<void>;
  /** Replaces every gateway, one after the other; `onChange` is called when a load balancer would see a change. */
  rollOut(onChange: () => void): Promise<void>;
}

const SIZE = 2;
const POLL_MS = 100;
const DEADLINE_MS = 60_000;
/** How much later than the drain's begin a load balancer stops sending: the drain allows for it (GATEHOUSE_DRAIN_ACCEPT_MS). */
const BALANCER_LAG_MS = 2_000;
/** The configs of a Snapshot change in number, so that each change adds or removes some. */
const CONFIGS = { least: 10, more: 10 };

/** Starts the gateways in front of the upstream on that port. */
export async function startFleet(bench: Bench, upstreamPort: number): Promise<Fleet> {
  const folder = join(bench.directory, 'mounted');
  const upstream = upstreamUrl(upstreamPort);
  let version = 0;
  const write = (): Promise<void> => {
    version += 1;
    const configs = CONFIGS.least + (version % CONFIGS.more);
    return writeMountedCopy(folder, version, { upstream, keys: 1, providers: 5, configs });
  };
  const untilServed = (gateway: Image): Promise<void> =>
    until(`version ${version} served`, async () => (await servedVersion(gateway)) === version);
  const start = async (): Promise<Image> => {
    const gateway = await startImage(bench, folder);
    await untilServed(gateway);
    return gateway;
  };
  await write();
  let gateways: readonly Image[] = [];
  while (gateways.length < SIZE) gateways = [...gateways, await start()];

  return {
    gateways: () => gateways,
    change: async () => {
      await write();
      await Promise.all(gateways.map(untilServed));
    },
    rollOut: async (onChange) => {
      for (const old of gateways) {
        gateways = [...gateways, await start()];
        onChange();
        process.kill(old.pid, 'SIGTERM');
        await wait(BALANCER_LAG_MS);
        gateways = gateways.filter((gateway) => gateway !== old);
        onChange();
        await until(`process ${old.pid} ended`, async () => !isAlive(old.pid));
      }
    },
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await wait(POLL_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
