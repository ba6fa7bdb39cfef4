/** A page of a list takes the memory of a page, however long the list is. */
import { getHeapStatistics } from 'node:v8';
import type { KindName } from '@gatehouse/crds/kinds';
import { afterAll, expect, test } from 'vitest';
import { type Cache, createStore, type Store, type StoreWriter } from '../../runtime/index.ts';
import type { CustomObject } from '../../world/index.ts';
import { keepObjects } from '../store/kubernetes/kept-objects.ts';
import { createMemoryStore } from '../store/testing.ts';
import { createTestManagement, type TestManagement } from '../testing.ts';

const MANY = 100_000;
const FEW = 1_000;
const PAGE = 100;
const CALLS = 40;
/** Of one list: a copy of the long one would have eight bytes for each key. */
const MARGIN_BYTES = MANY;

const opened: TestManagement[] = [];
afterAll(async () => {
  for (const management of opened) await management.close();
});

type Filled = Store<CustomObject> & StoreWriter<CustomObject>;

function objectOf(kind: KindName, name: string, i: number, spec: object): CustomObject {
  const creationTimestamp = new Date(Date.UTC(2027, 0, 1) + i * 1_000).toISOString();
  const namespace = kind === 'Workspace' ? {} : { namespace: 'team-a' };
  const metadata = { name, ...namespace, uid: `${kind}-${i}`, resourceVersion: '1', creationTimestamp };
  return { apiVersion: 'gatehouse.dev/v1alpha1', kind, metadata, spec };
}

/** Over what the watches of a cluster keep. */
async function managementWith(keys: number): Promise<TestManagement> {
  const stores = new Map<string, Filled>();
  const watch = ((kind, options) => {
    const store = createStore(options as object) as unknown as Filled; // of the Kind that is watched
    stores.set(kind.kind, store);
    return store;
  }) as Cache['watch'];
  const kept = keepObjects({ watch }, { kinds: ['ApiKey', 'Workspace', 'Organisation', 'GatewayConfig'] });
  stores.get('Workspace')?.put(objectOf('Workspace', 'team-a', 0, { namespace: 'team-a' }), { initial: false });
  for (let i = 0; i < keys; i += 1) {
    const spec = { type: 'workspace-service', sha256: i.toString(16).padStart(64, '0'), scopes: ['configs.list'] };
    stores.get('ApiKey')?.put(objectOf('ApiKey', `key-${i}`, i, spec), { initial: false });
  }
  const store = {
    ...createMemoryStore(),
    get: async (place) => kept.get(place),
    list: async (kind, namespace) => kept.list(kind, namespace),
    find: async (kind, uid) => kept.find(kind, uid),
  } satisfies Awaited<ReturnType<typeof createMemoryStore>>;
  const management = await createTestManagement(['workspace_service_api_keys', 'workspaces'], { store });
  opened.push(management);
  return management;
}

/** What one call allocates, whether it is collected or not. */
async function bytesPerCall({ call }: TestManagement, total: number): Promise<number> {
  const page = Math.floor(total / PAGE / 2);
  const list = async (): Promise<void> => {
    const { status, body } = await call('a', 'GET', `/api-keys?page_size=${PAGE}&current_page=${page}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total });
    expect(body['data']).toHaveLength(PAGE);
  };
  for (let i = 0; i < CALLS; i += 1) await list(); // what is made once
  const before = getHeapStatistics().total_allocated_bytes;
  for (let i = 0; i < CALLS; i += 1) await list();
  return (getHeapStatistics().total_allocated_bytes - before) / CALLS;
}

test('a page of 100,000 API keys takes as much as a page of 1,000', async () => {
  const few = await bytesPerCall(await managementWith(FEW), FEW);
  const many = await bytesPerCall(await managementWith(MANY), MANY);
  expect(few).toBeGreaterThan(PAGE * 100); // it is measured
  expect(many - few).toBeLessThan(MARGIN_BYTES);
});
