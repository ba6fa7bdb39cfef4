/** The measurements as rows of the table, with their goals: docs/performance.md. */
import { verdictAtMost } from '../rows/verdict.ts';
import { formatNumber, type Row } from '../table.ts';
import type { Edit, Edits } from './edits.ts';
import type { KeysResult } from './keys.ts';
import { percentile } from './summary.ts';

/** From the API write to served by every pod, in ms. */
const GOAL = { p50Ms: 150, p99Ms: 1_000 } as const;

interface Scene {
  readonly gateways: number;
  readonly objects: number;
  readonly operatorMb: number;
  readonly gatewayMb: number;
}

/** The moments of an edit, one after the other, and what the programs used meanwhile. */
export function editRows({ edits, operatorCpuMs, gatewayCpuMs }: Edits, scene: Scene): readonly Row[] {
  const what = `edit among ${formatNumber(scene.objects)} objects`;
  const moment = (peer: string, of: (edit: Edit) => number) => ({ what, peer, ...percentiles(edits.map(of)) });
  const all = moment(`served by ${scene.gateways} gateways`, ({ allMs }) => allMs);
  const verdicts = [
    verdictAtMost(all.p50Ms, GOAL.p50Ms, (ms) => `${ms} ms, p50`),
    verdictAtMost(all.p99Ms, GOAL.p99Ms, (ms) => `${ms} ms, p99`),
  ];
  return [
    moment('API server has answered', ({ writtenMs }) => writtenMs),
    moment('manifest is written', ({ publishedMs }) => publishedMs),
    moment('served by the first gateway', ({ firstMs }) => firstMs),
    { ...all, verdicts },
    { what, peer: 'operator', rssMb: scene.operatorMb, cpuUs: operatorCpuMs * 1_000 },
    { what, peer: 'gateway', rssMb: scene.gatewayMb, cpuUs: gatewayCpuMs * 1_000 },
  ];
}

/** An object of the kind that was applied, on all gateways. */
export function appliedRow(kind: string, { edits }: Edits, scene: Pick<Scene, 'gateways' | 'objects'>): Row {
  const times = percentiles(edits.map(({ allMs }) => allMs));
  return {
    what: `${kind} applied among ${formatNumber(scene.objects)} objects`,
    peer: `acts on ${scene.gateways} gateways`,
    ...times,
    verdicts: [verdictAtMost(times.p99Ms, GOAL.p99Ms, (ms) => `${ms} ms, p99`)],
  };
}

/** From the last request that a budget admits to the condition of its ApiKey. */
export function budgetRow(shownMs: readonly number[]): Row {
  const times = percentiles(shownMs);
  return {
    ...{ what: 'budget used up', peer: 'Exhausted in the status', ...times },
    verdicts: [verdictAtMost(times.p99Ms, SHOWN_MS, (ms) => `${ms} ms, p99`)],
  };
}

/** Counts go to the operator every ten seconds, and sooner as a budget nears its end. */
const SHOWN_MS = 12_000;

const percentiles = (values: readonly number[]) => ({
  p50Ms: percentile(values, 0.5),
  p99Ms: percentile(values, 0.99),
});

/** Times in seconds and memory of the keys. */
export function keyRows(result: KeysResult, count: number): readonly Row[] {
  const what = `${formatNumber(count)} ApiKeys`;
  const { createdSeconds, servedSeconds, toldSeconds, operatorCpuSeconds, operator, gateway } = result;
  const seconds = (value: number): string => `${formatNumber(value)} s`;
  return [
    { what, peer: 'API server', note: `created in ${seconds(createdSeconds)}` },
    { what, peer: 'served', note: `${seconds(servedSeconds)} after the operator's start` },
    { what, peer: 'statuses written', note: `${seconds(toldSeconds)} after the operator's start` },
    {
      ...{ what, peer: 'operator', rssMb: operator.rssMb },
      note: `peak ${formatNumber(operator.peakMb)} MB, ${seconds(operatorCpuSeconds)} of CPU`,
    },
    { what, peer: 'gateway', rssMb: gateway.rssMb, note: `peak ${formatNumber(gateway.peakMb)} MB` },
  ];
}
