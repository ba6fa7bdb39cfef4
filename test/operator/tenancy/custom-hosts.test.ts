/** An installation may limit the hosts to which resources send credentials. */
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, entriesIn, ours, setStage, startOperator } from '../operator/support.ts';

test('a host that the installation does not allow is refused with its place', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster, {
    args: ['--no-webhooks', '--allowed-custom-hosts', '*.models.example, 10.1.2.3'],
  });
  const account = (name: string, customHost: string) =>
    ours('VirtualKey', { name, namespace: stage.tenant }, { provider: 'ollama', customHost });
  const inside = account('inside', 'https://a.models.example/v1');
  const outside = account('outside', 'https://models.example.elsewhere.example/v1');
  for (const object of [inside, outside]) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  await becomes(cluster, inside, { type: 'Accepted', status: 'True' });
  const refused = await becomes(cluster, outside, { type: 'Accepted', status: 'False', reason: 'Invalid' });
  expect(refused.message).toContain('spec.customHost');
  const ids = (await entriesIn(cluster, stage.fleets)).map(({ id }) => id);
  expect(ids).not.toContain(`provider/${stage.tenant}/outside`);

  await apply(cluster, account('outside', 'http://10.1.2.3:8000'));
  await becomes(cluster, outside, { type: 'Accepted', status: 'True' });
});

test('a host that every gateway refuses is refused where it is written, with its place', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster, { args: ['--no-webhooks'] });
  const account = (name: string, customHost: string) =>
    ours('VirtualKey', { name, namespace: stage.tenant }, { provider: 'ollama', customHost });
  const never = [
    account('metadata', 'http://169.254.169.254/latest'),
    account('admin', 'http://10.0.0.7:8789'),
    account('ours', `http://gatehouse-gateway.${stage.fleets}.svc:8787/v1`),
  ];
  for (const object of never) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  for (const object of never) {
    const refused = await becomes(cluster, object, { type: 'Accepted', status: 'False', reason: 'Invalid' });
    expect(refused.message).toContain('spec.customHost');
  }
});
