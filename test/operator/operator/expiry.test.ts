/** A key that expires says so when its time comes, without an edit and under any leader. */
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, condition, ours, runPods, setStage, startOperator } from './support.ts';

const inSeconds = (seconds: number): string => `${new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19)}Z`;

test('an ApiKey is Expired and not Ready once its time has passed', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const key = (name: string, expiresAt: string, digit: string) =>
    ours(
      'ApiKey',
      { name, namespace: stage.tenant },
      { type: 'workspace-service', scopes: ['completions.write'], sha256: digit.repeat(64), expiresAt },
    );
  const past = key('past', '2020-01-01T00:00:00Z', 'b');
  const later = key('soon', inSeconds(86_400), 'a');
  for (const object of [later, past]) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  const expired = { type: 'Expired', status: 'True', reason: 'Expired' };
  await becomes(cluster, past, expired);
  await becomes(cluster, later, { type: 'Accepted', status: 'True' });
  expect(await condition(cluster, later, 'Expired')).toBeUndefined();
  const expiresAt = inSeconds(8);
  const soon = key('soon', expiresAt, 'a');
  await apply(cluster, soon);
  const { lastTransitionTime = '' } = await becomes(cluster, soon, expired);
  expect(Date.parse(lastTransitionTime), 'not before its time').toBeGreaterThanOrEqual(Date.parse(expiresAt));
  expect(await condition(cluster, soon, 'Accepted')).toMatchObject({ status: 'True' });
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of [past, soon]) {
    for (const type of ['Ready', 'Stalled'] as const) {
      await becomes(cluster, object, { type, status: type === 'Ready' ? 'False' : 'True', reason: 'Expired' });
    }
  }
});
