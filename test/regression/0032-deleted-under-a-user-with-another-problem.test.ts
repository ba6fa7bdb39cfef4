/** An object was deleted although another named it, where that one named something else that did not exist. */
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { openStore } from '../../standalone/src/folder-store/testing.ts';
import { tempFolder } from '../../standalone/src/testing/index.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const WORKSPACE = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`;
const account = (name: string): string =>
  `${API}\nkind: VirtualKey\nmetadata: { name: ${name}, namespace: team-a }\nspec: { provider: ollama, customHost: "http://ollama:11434" }\n`;
const USER = `${API}
kind: GatewayConfig
metadata: { name: user, namespace: team-a }
spec:
  config:
    strategy: { mode: fallback }
    targets: [{ provider: '@used' }, { provider: '@absent' }]
`;

test('what an object names is in use, whatever else it names', async () => {
  using temp = tempFolder({ 'all.yaml': [WORKSPACE, account('used'), account('free'), USER].join('---\n') });
  const { store } = await openStore(temp.path);
  const remove = (name: string) => store.delete({ kind: 'VirtualKey', namespace: 'team-a', name }, { force: false });
  expect(await remove('used')).toEqual({ ok: false, error: { kind: 'in-use', users: ['GatewayConfig/team-a/user'] } });
  unwrap(await remove('free'));
  unwrap(await store.delete({ kind: 'GatewayConfig', namespace: 'team-a', name: 'user' }, { force: false }));
  unwrap(await remove('used'));
});
