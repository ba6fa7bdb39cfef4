import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@gatehouse/test/kit';
import type { Bench } from '../bench.ts';
import { chatBody, closedLoop } from '../load/index.ts';
import { type Features, startGatehouse } from '../peers/index.ts';
import { startNginx } from '../upstream/index.ts';
import { byArea, byFunction, type CpuProfile, type Share, selfTimes } from './self-time.ts';

const MAX_FUNCTIONS = 40;
const MAX_AREAS = 25;
const LOAD = { body: chatBody(1024), connections: 64 };

/** What is on in the profiled gateway, by the name of a measurement; for all others what is on in `unary`. */
const FEATURES: ReadonlyMap<string, Features> = new Map<string, Features>([
  ['limits', 'limits'],
  ['guardrails', 'words'],
]);

/** Where the gateway's CPU time goes in the unary measurement, or in another one with the same load, as text. */
export async function profileGatehouse(bench: Bench, measurement = 'unary'): Promise<string> {
  const profileDirectory = join(bench.directory, 'profile');
  await mkdir(profileDirectory);
  const upstream = await startNginx(bench);
  const features = FEATURES.get(measurement);
  await using postgres = measurement === 'records' ? await startPostgres() : undefined;
  const environment = postgres && { GATEHOUSE_LOGS_DATABASE_URL: await postgres.database() };
  const gatehouse = await startGatehouse(bench, upstream.port, {
    profileDirectory,
    features,
    ...(environment && { environment }),
  });
  const { requestsPerSecond } = await closedLoop(bench, { ...LOAD, target: gatehouse.target, seconds: bench.seconds });
  await Promise.all([upstream, gatehouse].map((running) => running.stop()));
  const [file = ''] = await readdir(profileDirectory);
  const profile = JSON.parse(await readFile(join(profileDirectory, file), 'utf8')) as CpuProfile; // Node writes it
  return [
    `${Math.round(requestsPerSecond)} requests/s while profiled`,
    '',
    ...linesOf(selfTimes(profile, byArea), MAX_AREAS),
    '',
    ...linesOf(selfTimes(profile, byFunction), MAX_FUNCTIONS),
  ].join('\n');
}

const linesOf = (shares: readonly Share[], most: number): string[] =>
  shares.slice(0, most).map(({ name, selfMs, percent }) => {
    return `${percent.toFixed(1).padStart(5)} %  ${selfMs.toFixed(0).padStart(6)} ms  ${name}`;
  });
