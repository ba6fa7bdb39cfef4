/** What features add to the CPU time of a request: a process for each, which take turns. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../images/bundle.ts';
import type { Bench } from '../bench.ts';
import { ENVIRONMENT, upstreamUrl, writeSnapshot } from '../peers/gatehouse/start.ts';
import type { Features } from '../peers/index.ts';
import { originOf } from '../peers/peer.ts';
import { freePort } from '../ports.ts';
import { interleave, median, pairedDifference } from '../rounds.ts';
import { formatNumber, renderCells } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import type { CpuCost, CpuReady } from './cpu-process.ts';

/** What is on; the first one is what others are compared with. */
const SUBJECTS: readonly (readonly [name: string, features: Features, bodyBytes?: number])[] = [
  ['nothing', 'unlimited'],
  ['limits of all owners, in memory', 'limits'],
  ['words, count, pattern on both sides', 'words'],
  ['words, pattern, personal data on both sides', 'personal data'],
  ['request log, rows', 'unlimited', 0],
  ['request log, rows and documents', 'unlimited', 65_536],
];

const REQUESTS = 2_000;
/** Measurements before the first one that counts: until code is compiled. */
const WARM_UPS = 15;

interface Subject {
  readonly name: string;
  measure(): Promise<CpuCost>;
}

/** Answers with a Markdown table. */
export async function measureCpu(bench: Bench): Promise<string> {
  const program = join(bench.directory, 'cpu.js');
  await bundleFile(fileURLToPath(new URL('./cpu-process.ts', import.meta.url)), program);
  const subjects: Subject[] = [];
  const { sinkPort } = await startNginx(bench);
  for (const [name, features, bodyBytes] of SUBJECTS) {
    const log = bodyBytes === undefined ? {} : logOf(sinkPort, bodyBytes);
    subjects.push({ name, ...(await start(bench, program, { features, log })) });
  }
  for (const { measure } of subjects) for (let i = 0; i < WARM_UPS; i += 1) await measure();
  const rounds = await interleave(subjects, bench.rounds, async ({ measure }) => measure());
  return render(subjects, rounds);
}

/** Of a database that takes inserts and does nothing with them. */
const logOf = (sinkPort: number, bodyBytes: number): Readonly<Record<string, string>> => ({
  LOG_URL: originOf(sinkPort),
  BODY_BYTES: String(bodyBytes),
});

interface SubjectOptions {
  readonly features: Features;
  /** Variables of the request log. */
  readonly log: Readonly<Record<string, string>>;
}

async function start(
  bench: Bench,
  program: string,
  { features, log }: SubjectOptions,
): Promise<Pick<Subject, 'measure'>> {
  const upstream = upstreamUrl(await freePort()); // nothing listens there
  const snapshot = await writeSnapshot(bench, { upstream, keys: 1, providers: 0, configs: 0, features });
  const env = { ...ENVIRONMENT, ...log, SNAPSHOT: snapshot, REQUESTS: String(REQUESTS) };
  const { ask } = await bench.processes.startNode<CpuReady>(program, { env });
  return { measure: () => ask<CpuCost>() };
}

const HEADINGS = ['on', 'µs/request', 'adds µs', 'kB/request', 'adds kB'];
const NUMBERS: ReadonlySet<number> = new Set([1, 2, 3, 4]);

function render([base, ...others]: readonly Subject[], rounds: ReadonlyMap<Subject, readonly CpuCost[]>): string {
  const cpuOf = (subject: Subject): number[] => (rounds.get(subject) ?? []).map(({ cpuUs }) => cpuUs);
  const kilobytesOf = (subject: Subject): number[] =>
    (rounds.get(subject) ?? []).map(({ allocatedBytes }) => allocatedBytes / 1_000);
  if (base === undefined) return '';
  const own = (subject: Subject) =>
    [cpuOf(subject), kilobytesOf(subject)].map((values) => formatNumber(median(values)));
  const [cpu = '', kilobytes = ''] = own(base);
  const lines = others.map((subject) => {
    const [ownCpu = '', ownKilobytes = ''] = own(subject);
    const addedCpu = formatNumber(pairedDifference(cpuOf(subject), cpuOf(base)));
    const addedKilobytes = formatNumber(pairedDifference(kilobytesOf(subject), kilobytesOf(base)));
    return [subject.name, ownCpu, addedCpu, ownKilobytes, addedKilobytes];
  });
  return renderCells(HEADINGS, [[base.name, cpu, '', kilobytes, ''], ...lines], NUMBERS);
}
