/** Objects that are applied before what they refer to: their statuses say so, and nobody is alarmed. */
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, label, ours, secret, setStage, startOperator } from './support.ts';

const NOT_FOUND = { type: 'ResolvedRefs', status: 'False', reason: 'RefNotFound' } as const;

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly regarding: { readonly name: string };
}

test('an order of application that heals by itself makes no Warning event, and a problem that lasts does', async () => {
  await using cluster = sharedControlPlane();
  const late = await cluster.createNamespace();
  await using stage = await setStage(cluster, { namespaces: [late] });
  await using _operator = await startOperator(stage.setup);
  const warnings = async (): Promise<string[]> => {
    const { body } = await cluster.request('GET', `/apis/events.k8s.io/v1/namespaces/${late}/events`);
    const { items } = body as { items: readonly Event[] }; // an EventList
    return items.filter(({ type }) => type === 'Warning').map(({ reason, regarding }) => `${reason} ${regarding.name}`);
  };
  const account = (name: string) =>
    ours('VirtualKey', { namespace: late, name }, { provider: 'openai', secretRef: { name, key: 'key' } });
  const [early, forgotten] = [account('early'), account('forgotten')];
  for (const object of [early, forgotten]) await apply(cluster, object);
  await apply(cluster, ours('Workspace', { name: late }, { namespace: late }));
  await label(cluster, late, late);
  for (const object of [early, forgotten]) await becomes(cluster, object, NOT_FOUND);
  await apply(cluster, secret(late, 'early', { key: 'not-a-real-key' }));
  await becomes(cluster, early, { type: 'ResolvedRefs', status: 'True' });
  await expect.poll(warnings, { timeout: 90_000 }).toEqual(['RefNotFound forgotten']);
});
