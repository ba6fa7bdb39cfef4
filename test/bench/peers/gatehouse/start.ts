import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATEWAY_ENVIRONMENT } from '../../../../images/environment.ts';
import type { Bench } from '../../bench.ts';
import { createPeer, originOf, type Peer } from '../peer.ts';
import { bundleGatehouse, bundleRevision } from './bundle.ts';
import { benchEntries, type Contents, keySecret } from './entries.ts';
import type { GatehouseReady } from './main.ts';

export interface Gatehouse extends Peer, GatehouseReady {
  /** From the start of the process to its answer that it listens, in ms. */
  readonly startMs: number;
}

export type GatehouseOptions = Partial<Omit<Contents, 'upstream'>> & {
  /** Where a CPU profile is written when it ends; it then runs from its sources, so that the profile names their files. */
  readonly profileDirectory?: string;
  /** The Git revision it is built from; the present files when absent. */
  readonly revision?: string;
  /** What requests may hold together, for a process that has no memory limit of its own. */
  readonly bufferedBytes?: number;
  /** Where limits and budgets are counted; in the process when absent. */
  readonly redisPort?: number;
  /** Further variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** In the table; made of the options when absent. */
  readonly name?: string;
};

/** The environment of the image; the log goes to /dev/null, so its cost is in. */
export const ENVIRONMENT = {
  ...GATEWAY_ENVIRONMENT,
  HOST: '127.0.0.1',
  PORT: '0',
  GATEHOUSE_ADMIN_PORT: '0',
  GATEHOUSE_LOG_LEVEL: 'info',
};

/** Starts the gateway, bundled, in front of the upstream on that port: authentication, limits, metrics and log on. */
export async function startGatehouse(
  bench: Bench,
  upstreamPort: number,
  options: GatehouseOptions = {},
): Promise<Gatehouse> {
  const { keys = 1, providers = 0, configs = 0, features, profileDirectory, revision, redisPort, environment } = options;
  const { bufferedBytes = 0, name = revision === undefined ? 'Gatehouse' : `Gatehouse ${revision}` } = options;
  const snapshot = await writeSnapshot(bench, { upstream: upstreamUrl(upstreamPort), keys, providers, configs, features });
  const program = profileDirectory === undefined ? await bundled(bench, revision) : sources(profileDirectory);
  const beganMs = performance.now();
  const running = await bench.processes.startNode<GatehouseReady>(program.file, {
    execArgv: program.execArgv,
    env: {
      ...ENVIRONMENT,
      SNAPSHOT: snapshot,
      GATEHOUSE_MAX_BUFFERED_BYTES: String(bufferedBytes),
      ...(redisPort === undefined ? {} : { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
      ...environment,
    },
  });
  const startMs = performance.now() - beganMs;
  return { ...createPeer(name, running, { port: running.ready.port, headers: CALLER, keys }), ...running.ready, startMs };
}

/** The headers of a call with one of the Snapshot's keys. */
export const CALLER = { 'X-Gw-Api-Key': keySecret('{key}'), 'X-Gw-Provider': '@openai' };

export const upstreamUrl = (port: number): string => `${originOf(port)}/v1`;

/** The gateway of the revision that the bench compares with, if there is one. */
export async function startEarlier(bench: Bench, upstreamPort: number): Promise<readonly Gatehouse[]> {
  const { against: revision } = bench;
  return revision === undefined ? [] : [await startGatehouse(bench, upstreamPort, { revision })];
}

interface Program {
  readonly file: string;
  readonly execArgv: readonly string[];
}

async function bundled(bench: Bench, revision?: string): Promise<Program> {
  const file = join(bench.directory, revision === undefined ? 'gatehouse.js' : 'gatehouse-earlier.js');
  if (!existsSync(file)) {
    bench.say(`bundling the gateway${revision === undefined ? '' : ` of ${revision}`}`);
    await (revision === undefined ? bundleGatehouse(file) : bundleRevision(bench, revision, file));
  }
  return { file, execArgv: [] };
}

const sources = (profileDirectory: string): Program => ({
  file: fileURLToPath(new URL('./main.ts', import.meta.url)),
  execArgv: ['--conditions=@gatehouse/source', '--cpu-prof', `--cpu-prof-dir=${profileDirectory}`],
});

/** Writes the Snapshot, an entry per line; resolves with its path. */
export async function writeSnapshot({ directory }: Pick<Bench, 'directory'>, contents: Contents): Promise<string> {
  const path = join(directory, `snapshot-${new URL(contents.upstream).port}-${contents.keys}-${contents.features ?? 'plain'}.ndjson`);
  const file = await open(path, 'w');
  const stream = file.createWriteStream();
  for (const entry of benchEntries(contents)) {
    if (!stream.write(`${JSON.stringify(entry)}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  await new Promise<void>((resolve) => stream.end(resolve));
  return path;
}
