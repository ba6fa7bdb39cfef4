import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Peer, startBare, startGatehouse, startImage, upstreamUrl, writeMountedCopy } from '../peers/index.ts';
import { freePort } from '../ports.ts';
import { median } from '../rounds.ts';
import type { Row } from '../table.ts';
import { usageOf } from '../usage.ts';
import { verdictAtMost } from './verdict.ts';

/** 1,000 objects, with the organisation, a workspace, a SidecarProfile, `@openai` and the credentials that are entries of their own. */
const OBJECTS = { keys: 596, providers: 200, configs: 200 };
/** What a team's workspace holds. */
const WORKSPACE_OBJECTS = { keys: 1, providers: 5, configs: 10 };
const SETTLE_MS = 3_000;
/** MB more than the idle bare proxy. */
const MOST_MB = { fleet: 30, sidecar: 15 };

interface Round {
  readonly rssMb: number;
  /** From the start of the process until it listened, where that is measured. */
  readonly startMs: number;
}

/** What programs need while nothing happens, and the start of a gateway with 1,000 objects. */
export async function idle(bench: Bench): Promise<readonly Row[]> {
  const upstreamPort = await freePort(); // never called
  const copy = join(bench.directory, 'mounted');
  await writeMountedCopy(copy, 1, { upstream: upstreamUrl(upstreamPort), ...WORKSPACE_OBJECTS });
  const rounds = { bare: [] as Round[], fleet: [] as Round[], sidecar: [] as Round[] };
  for (let round = 0; round < bench.rounds; round += 1) {
    rounds.bare.push(await settle(await startBare(bench, upstreamPort)));
    rounds.fleet.push(await settle(await startGatehouse(bench, upstreamPort, OBJECTS)));
    rounds.sidecar.push(await settle(await startImage(bench, copy)));
    bench.say(`round ${round + 1}: ready after ${Math.round(rounds.fleet.at(-1)?.startMs ?? 0)} ms`);
  }
  const bareMb = rssOf(rounds.bare);
  const aboveBare = (mb: number, most: number) =>
    verdictAtMost(mb - bareMb, most, (more) => `${more} MB more than bare`);
  const [fleetMb, sidecarMb] = [rssOf(rounds.fleet), rssOf(rounds.sidecar)];
  const startSeconds = median(rounds.fleet.map(({ startMs }) => startMs)) / 1_000;
  const verdicts = [
    aboveBare(fleetMb, MOST_MB.fleet),
    verdictAtMost(startSeconds, 1, (seconds) => `${seconds} s to ready`),
  ];
  return [
    { what: 'idle', peer: 'bare proxy', rssMb: bareMb },
    { what: 'idle, 1,000 objects', peer: 'Gatehouse', rssMb: fleetMb, verdicts },
    { what: 'idle, a sidecar', peer: 'Gatehouse', rssMb: sidecarMb, verdicts: [aboveBare(sidecarMb, MOST_MB.sidecar)] },
  ];
}

/** What the process needs after a while; ends it. */
async function settle({ pid, stop, startMs = 0 }: Peer & Partial<Pick<Round, 'startMs'>>): Promise<Round> {
  await wait(SETTLE_MS);
  const { rssMb } = await usageOf(pid);
  await stop();
  return { rssMb, startMs };
}

const rssOf = (rounds: readonly Round[]): number => median(rounds.map(({ rssMb }) => rssMb));
