/** Many ApiKeys at once: how long until all are served and every status is written, and what it takes. */
import { readFile } from 'node:fs/promises';
import { waitFor } from '@gatehouse/test/kit';
import { apply } from '../../operator/operator/support.ts';
import { usageOf } from '../usage.ts';
import { keysOf } from './population.ts';
import { type Bench, type GatewayProcess, startGateways, startOperator } from './programs.ts';
import { settle } from './settle.ts';
import { createAll, fleetOf, type Stage, setStage } from './stage.ts';

export interface KeysResult {
  /** Until the API server had all objects, before the operator started. */
  readonly createdSeconds: number;
  /** From the start of the operator until a gateway served all of them. */
  readonly servedSeconds: number;
  /** From the start of the operator until the status of every object shows it. */
  readonly toldSeconds: number;
  readonly operator: Memory;
  readonly gateway: Memory;
  /** CPU time of the operator until every status was written. */
  readonly operatorCpuSeconds: number;
}

export interface Memory {
  readonly rssMb: number;
  readonly peakMb: number;
}

const SERVED_DEADLINE_MS = 300_000;
const LIST_PAGE = 1_000;
const KB_OF_MB = 1_024;

export async function measureKeys(bench: Bench, count: number): Promise<KeysResult> {
  await using stage = await setStage();
  await apply(stage.cluster, fleetOf(stage, 1));
  const startMs = performance.now();
  await createAll(stage.cluster, keysOf(count, stage));
  const createdSeconds = secondsSince(startMs);
  bench.say(`${count} keys created in ${createdSeconds.toFixed(0)} s`);
  return await reconcile(bench, stage, { count, createdSeconds }); // awaited: the stage goes when this is left
}

async function reconcile(
  bench: Bench,
  stage: Stage,
  { count, createdSeconds }: { readonly count: number; readonly createdSeconds: number },
): Promise<KeysResult> {
  const startMs = performance.now();
  const operator = await startOperator(bench, stage);
  const [gateway] = await startGateways(bench, stage, 1);
  if (gateway === undefined) throw new Error('there is no gateway');
  await waitFor(async () => (await servedEntries(gateway)) >= count, {
    deadlineMs: SERVED_DEADLINE_MS,
    what: `a gateway with ${count} keys`,
  });
  const servedSeconds = secondsSince(startMs);
  bench.say(`served after ${servedSeconds.toFixed(1)} s`);
  const toldSeconds = ((await settle(operator, bench.say)) - startMs) / 1_000;
  const { cpuMs } = await usageOf(operator.pid);
  const ready = await readyKeys(stage);
  if (ready !== count) throw new Error(`${ready} of ${count} keys are ready`);
  const result = {
    ...{ createdSeconds, servedSeconds, toldSeconds, operatorCpuSeconds: cpuMs / 1_000 },
    operator: await memoryOf(operator.pid),
    gateway: await memoryOf(gateway.pid),
  };
  await Promise.all([gateway, operator].map((running) => running.stop()));
  return result;
}

const secondsSince = (startMs: number): number => (performance.now() - startMs) / 1_000;

async function servedEntries({ adminUrl, token }: GatewayProcess): Promise<number> {
  const answer = await fetch(`${adminUrl}/internal/snapshot`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { readonly entries: number }).entries; // our own gateway
}

interface List {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  }[];
}

/** How many ApiKeys of all namespaces are ready. */
async function readyKeys({ cluster }: Stage): Promise<number> {
  let ready = 0;
  let next: string | undefined = '';
  while (next !== undefined) {
    const query: string = `limit=${LIST_PAGE}&continue=${encodeURIComponent(next)}`;
    const { body } = await cluster.request('GET', `/apis/gatehouse.dev/v1alpha1/apikeys?${query}`);
    const { items, metadata } = body as List; // a list of the API server
    ready += items.filter(isReady).length;
    next = metadata.continue === '' ? undefined : metadata.continue;
  }
  return ready;
}

const isReady = ({ status }: List['items'][number]): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / KB_OF_MB;
  return { rssMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}
