import { expect, test } from 'vitest';
import { createMemoryStore } from '../store/testing.ts';
import { createTenancy } from '../tenancy/index.ts';
import { ORGANISATION_ID } from '../testing.ts';
import { shownKeys, storedKeys } from './key-ids.ts';

const SYSTEM = 'gatehouse-system';
const SPEC = { type: 'workspace-service', scopes: ['logs.list'], sha256: 'a'.repeat(64) } as const;

async function setUp() {
  const store = createMemoryStore();
  for (const name of ['team-a', 'team-b']) {
    await store.create(
      { kind: 'Workspace', namespace: undefined, name },
      { spec: { namespace: name } },
      { force: false },
    );
  }
  const make = async (namespace: string) => {
    const made = await store.create({ kind: 'ApiKey', namespace, name: 'app' }, { spec: SPEC }, { force: false });
    if (!made.ok) throw new Error('it was not made');
    return made.value.meta.uid;
  };
  const ids = { a: await make('team-a'), b: await make('team-b'), organisation: await make(SYSTEM) };
  const services = {
    store,
    tenancy: createTenancy({ store, organisationId: ORGANISATION_ID, organisationNamespace: SYSTEM }),
  };
  const caller = (workspace: string | undefined) => ({
    ...{ keyId: 'k', keyName: 'k', type: 'workspace-service' as const, user: undefined, scopes: new Set<string>() },
    ...{ expiresAtMs: Number.POSITIVE_INFINITY, workspace },
  });
  return { ids, services, caller };
}

const STORED = ['key/team-a/app', 'key/team-b/app', 'key//app', 'key/team-a/gone', 'ada@example.com', null];

test('rows show the ids of keys that the caller sees, and say of others what is stored', async () => {
  const { ids, services, caller } = await setUp();
  const ofAll = await shownKeys(STORED, { caller: caller(undefined), services });
  expect(STORED.map((one) => ofAll(one))).toEqual([ids.a, ids.b, ids.organisation, ...STORED.slice(3)]);
  const ofOne = await shownKeys(STORED, { caller: caller('team-a'), services });
  expect(STORED.map((one) => ofOne(one))).toEqual([ids.a, ...STORED.slice(1)]);
});

test('filters take either', async () => {
  const { ids, services, caller } = await setUp();
  const given = [ids.a, ids.b, 'key/team-a/gone', ORGANISATION_ID];
  const ofOne = await storedKeys(given, { caller: caller('team-a'), services });
  expect(ofOne).toEqual(['key/team-a/app', ...given.slice(1)]);
});
