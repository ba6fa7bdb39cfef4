/** In which entries of a Snapshot values of custom headers are published. */
import { splitIntoShards } from '@gatehouse/crds/snapshot';
import { expect, test } from 'vitest';
import { type TestObject, worldOf } from '../test-world.ts';
import { translate } from '../translate.ts';

const metadata = { name: 'own', namespace: 'team' };
const spec = {
  provider: 'openai',
  customHost: 'https://llm.example.com/v1',
  headers: { 'x-plain': 'value-in-the-account' },
  headersFrom: [{ name: 'x-token', secretRef: { name: 'tokens', key: 'one' } }],
};
const OBJECTS: readonly TestObject[] = [
  { kind: 'Namespace', metadata: { name: 'team', labels: { 'gatehouse.dev/workspace': 'team' } } },
  { kind: 'Workspace', metadata: { name: 'team' }, spec: { namespace: 'team' } },
  { kind: 'Secret', metadata: { name: 'tokens', namespace: 'team' }, stringData: { one: 'value-in-a-secret' } },
  { kind: 'VirtualKey', metadata, spec },
  { kind: 'Integration', metadata: { ...metadata, name: 'base' }, spec: { ...spec, allowAllModels: true } },
  { kind: 'Provider', metadata: { ...metadata, name: 'lent' }, spec: { integrationRef: { name: 'base' } } },
];

test('no shard that becomes a ConfigMap holds the value of a header, wherever the account has it from', () => {
  const { snapshot } = translate(worldOf(OBJECTS, { settings: { consent: 'label' } }));
  const { shards } = splitIntoShards(snapshot.entries);
  const textOf = (secret: boolean): string =>
    JSON.stringify(shards.filter((shard) => shard.secret === secret).map(({ entries }) => entries));
  expect(textOf(false)).toContain('provider/team/own');
  expect(textOf(false)).toContain('provider/team/lent');
  expect(textOf(false)).not.toContain('value-in');
  for (const value of ['value-in-the-account', 'value-in-a-secret']) expect(textOf(true).split(value)).toHaveLength(3);
});

test.for([
  { rule: 'an API key', secretRef: { name: 'tokens', key: 'api-key' }, entry: 'api-key' },
  { rule: 'an API key among all fields', secretRef: { name: 'tokens' }, entry: 'api_key' },
])('$rule that no header can carry is refused by its entry, and not repeated', ({ secretRef, entry }) => {
  const stringData = { [entry]: '\u201csk-of-tests\u201d' };
  const { snapshot, verdicts } = translate(
    worldOf([
      ...OBJECTS.slice(0, 2),
      { kind: 'Secret', metadata: { name: 'tokens', namespace: 'team' }, stringData },
      { kind: 'VirtualKey', metadata, spec: { provider: 'openai', secretRef } },
    ]),
  );
  const messages = verdicts.flatMap(({ issues }) => issues.map(({ message }) => message));
  expect(messages).toEqual([
    expect.stringContaining(`the entry ${entry} of the Secret tokens has characters that no header`),
  ]);
  expect(JSON.stringify({ snapshot, verdicts })).not.toContain('sk-of-tests');
});
