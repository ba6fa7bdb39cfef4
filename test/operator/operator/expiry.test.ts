/** A key that expires says so when its time comes, without an edit and under any leader. */
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, condition, ours, runPods, setStage, startOperator } from './support.ts';

test('an ApiKey is Expired and not Ready once its time has passed', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const key = (name: string, expiresAt: string, digit: string) =>
    ours(
      'ApiKey',
      { name, namespace: stage.tenant },
      { type: 'workspace-service', scopes: ['completions.write'], sha256: digit.repeat(64), expiresAt },
    );
  const soon = key('soon', `${new Date(Date.now() + 15_000).toISOString().slice(0, 19)}Z`, 'a');
  const past = key('past', '2020-01-01T00:00:00Z', 'b');
  for (const object of [soon, past]) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  const expired = { type: 'Expired', status: 'True', reason: 'Expired' };
  await becomes(cluster, past, expired);
  await becomes(cluster, soon, { type: 'Accepted', status: 'True' });
  expect(await condition(cluster, soon, 'Expired')).toBeUndefined();
  await becomes(cluster, soon, expired);
  expect(await condition(cluster, soon, 'Accepted')).toMatchObject({ status: 'True' });
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of [past, soon]) {
    for (const type of ['Ready', 'Stalled'] as const) {
      await becomes(cluster, object, { type, status: type === 'Ready' ? 'False' : 'True', reason: 'Expired' });
    }
  }
});
