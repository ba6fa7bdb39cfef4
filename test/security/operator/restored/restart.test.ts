/** What was published is put back to an old state while no operator runs: the next one, and the pods, must not fall for it. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { endLease, type OperatorProcess, read, runPods, startOperator } from '../../../operator/operator/support.ts';
import { GONE, KEPT, makeHistory, type Part, restore } from './support.ts';

interface Row {
  readonly what: string;
  readonly parts: readonly Part[];
  readonly anew?: boolean;
}

const ALL = ['manifest', 'journal', 'shards', 'status'] as const;
const ROWS: readonly Row[] = [
  { what: 'the manifest', parts: ['manifest'] },
  { what: 'the manifest and the shards, as other objects,', parts: ['manifest', 'shards'], anew: true },
  { what: 'the journal', parts: ['journal'] },
  { what: 'all there is', parts: ALL },
  { what: 'all there is, as other objects,', parts: ALL, anew: true },
];

test.for(ROWS)('serves no deleted key and every edit after a restore of $what', async ({ parts, anew = false }) => {
  let operator: OperatorProcess | undefined;
  await using history = await makeHistory(async ({ setup }) => {
    operator = await startOperator(setup);
  });
  const { stage, pod, backup } = history;
  await operator?.kill();
  await endLease(stage);
  await restore(stage, backup, { parts: new Set(parts), anew });
  await history.edit('model-3');
  expect([await pod.ask(GONE), await pod.ask(KEPT)]).toEqual([401, 'model-2']);

  await using _next = await startOperator(stage.setup);
  await history.programmed();
  expect([await pod.ask(GONE), await pod.ask(KEPT)]).toEqual([401, 'model-3']);
  const [late] = await runPods(stage);
  await using _late = late;
  expect([await late?.ask(GONE), await late?.ask(KEPT)]).toEqual([401, 'model-3']);
  const fleet = {
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'GatewayFleet',
    metadata: { namespace: stage.fleets, name: 'main' },
  };
  const counted = async () => (await read(stage.cluster, fleet))?.status?.['programmedReplicas'];
  // An edit is programmed when the pods that the operator knows to be ready serve it.
  await waitFor(async () => (await counted()) === 2, { what: 'a count of both pods' });
  await history.edit('model-4');
  await history.programmed();
  expect([await pod.ask(KEPT), await late?.ask(KEPT)]).toEqual(['model-4', 'model-4']);
  await waitFor(async () => (await counted()) === 2, { what: 'a count of both pods' });
});
