import type { Bench } from '../bench.ts';
import { type AttackName, type AttackResult, attack, type OpenLoopResult, openLoop } from '../load/index.ts';
import { type Gatehouse, startGatehouse } from '../peers/index.ts';
import type { Running } from '../processes.ts';
import type { Row } from '../table.ts';
import { startHostile, startNginx } from '../upstream/index.ts';
import { watchRss } from './measure.ts';

type StartUpstream = (bench: Bench) => Promise<Running & { readonly port: number }>;

/** What each attack needs behind the gateway. */
const UPSTREAMS: Readonly<Record<AttackName, StartUpstream>> = {
  none: startNginx,
  'nested JSON, 30 MB': startNginx,
  'small JSON nodes, 30 MB': startNginx,
  'unfinished bodies, 30 MB': startNginx,
  'costly patterns': startNginx,
  'costly match of 1 MB': startNginx,
  'endless answers': (bench) => startHostile(bench, 'endless'),
  'nested fallbacks': (bench) => startHostile(bench, 'failing'),
};

/** What a pod with a limit of 512 MiB has by itself. */
const BUFFERED_BYTES = 128 * 1024 * 1024;
const PROBES_PER_SECOND = 50;

/** Memory of the gateway and the time of its health answer while requests are made to exhaust it. */
export async function attacks(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const name of Object.keys(UPSTREAMS) as AttackName[]) {
    // keys of the constant above
    const upstream = await UPSTREAMS[name](bench);
    const gatehouse = await startGatehouse(bench, upstream.port, { bufferedBytes: BUFFERED_BYTES });
    rows.push(await underAttack(bench, gatehouse, name));
    await Promise.all([gatehouse.stop(), upstream.stop()]);
    bench.say(`attack: ${name}`);
  }
  return rows;
}

async function underAttack(bench: Bench, gatehouse: Gatehouse, name: AttackName): Promise<Row> {
  const row = { what: `health under attack: ${name}`, peer: gatehouse.name };
  try {
    const work = Promise.all([
      probe(bench, gatehouse),
      attack(bench, { name, target: gatehouse.target, seconds: bench.seconds }),
    ]);
    const { result, rssMb } = await watchRss(gatehouse.pid, work);
    return { ...row, ...numbersOf(result), rssMb };
  } catch (error) {
    return { ...row, note: `did not survive: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const probe = (bench: Bench, { target }: Gatehouse): Promise<OpenLoopResult> =>
  openLoop(bench, {
    target: { host: target.host, port: target.port, path: '/v1/health', headers: {}, method: 'GET' },
    body: '',
    ratePerSecond: PROBES_PER_SECOND,
    warmupSeconds: 1,
    seconds: bench.seconds,
  });

function numbersOf([{ latency, failed }, { statuses }]: readonly [OpenLoopResult, AttackResult]): Partial<Row> {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status === '0' ? 'cut' : status}`);
  const lost = failed === 0 ? [] : [`${failed} health answers failed`];
  const note = ['attacker got', answers.join(', ') || 'no answer', ...lost].join(' ');
  return { p50Ms: latency.p50 / 1_000, p99Ms: latency.p99 / 1_000, note };
}
