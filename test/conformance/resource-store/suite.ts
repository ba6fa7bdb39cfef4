/** What every store of the management API does: operator/src/management/store/port.ts. */
import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Place, ResourceStore, StoredObject, Written } from '../../../operator/src/management/index.ts';

export interface OpenedStore extends AsyncDisposable {
  readonly store: ResourceStore;
  /** Two namespaces, each of a workspace, without other objects. */
  readonly namespaces: readonly [string, string];
}

interface Abilities {
  /** Sees references between objects, and tools that own them. */
  readonly reviews: boolean;
}

type Policy = StoredObject<'RateLimitPolicy'>;

const SPEC = {
  displayName: 'Slow',
  conditions: [{ key: 'model', values: ['@openai/*'] }],
  groupBy: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
} as const;
const PLAIN = { force: false };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function describeStore(name: string, open: () => Promise<OpenedStore>, { reviews }: Abilities): void {
  describe(`a ${name} store`, () => {
    let opened: OpenedStore;
    let store: ResourceStore;
    let count = 0;
    beforeAll(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    const fresh = (at = 0): Place<'RateLimitPolicy'> => {
      count += 1;
      return { kind: 'RateLimitPolicy', namespace: opened.namespaces[at], name: `policy-${count}` };
    };
    const made = async (place = fresh()): Promise<Policy> => unwrap(await store.create(place, { spec: SPEC }, PLAIN));
    const placeOf = ({ kind, meta: { namespace, name: own } }: Policy) => ({ kind, namespace, name: own });

    test('gives what was created by its place, in lists and by its UUID', async () => {
      const place = fresh();
      const object = await made(place);
      expect(object).toMatchObject({ kind: 'RateLimitPolicy', meta: { name: place.name, namespace: place.namespace } });
      expect(object.spec).toMatchObject(SPEC);
      expect(object.meta.uid).toMatch(UUID);
      expect(Date.parse(object.meta.createdAt)).not.toBeNaN();
      expect(Date.parse(object.meta.updatedAt)).toBeGreaterThanOrEqual(Date.parse(object.meta.createdAt));
      expect((await store.get(place))?.meta).toEqual(object.meta);
      expect((await store.find(place.kind, object.meta.uid))?.meta).toEqual(object.meta);
      const names = async (namespace?: string) =>
        (await store.list(place.kind, namespace)).map(({ meta }) => meta.name);
      expect(await names(place.namespace)).toContain(place.name);
      expect(await names()).toContain(place.name);
      expect(await names(opened.namespaces[1])).not.toContain(place.name);
      expect(await store.get({ ...place, namespace: opened.namespaces[1] })).toBeUndefined();
      expect(await store.find('GatewayConfig', object.meta.uid)).toBeUndefined();
    });

    test('keeps objects of the same name in two namespaces apart', async () => {
      const place = fresh();
      const [here, there] = [await made(place), await made({ ...place, namespace: opened.namespaces[1] })];
      expect(here.meta.uid).not.toBe(there.meta.uid);
      unwrap(await store.delete(place, PLAIN));
      expect(await store.get({ ...place, namespace: opened.namespaces[1] })).toBeDefined();
    });

    test('makes no second object in the place of another', async () => {
      const place = placeOf(await made());
      expect(problemOf(await store.create(place, { spec: { ...SPEC, value: 99 } }, PLAIN))).toEqual({ kind: 'exists' });
      expect((await store.get(place))?.spec.value).toBe(SPEC.value);
    });

    test('changes the members that a change changes, and takes away those that are undefined', async () => {
      const before = await made();
      const place = placeOf(before);
      const change = ({ spec }: Policy) => ({ spec: { ...spec, value: 20, displayName: undefined } });
      const after = unwrap(await store.update(place, change, PLAIN));
      expect(after.spec).toMatchObject({ value: 20, conditions: SPEC.conditions });
      expect(after.spec).not.toHaveProperty('displayName');
      expect(after.meta).toMatchObject({ uid: before.meta.uid, createdAt: before.meta.createdAt });
      expect(after.meta.resourceVersion).not.toBe(before.meta.resourceVersion);
      expect(after.meta.updatedAt >= before.meta.updatedAt).toBe(true);
      expect((await store.get(place))?.spec).toEqual(after.spec);
    });

    test('keeps the version where a change changes nothing', async () => {
      const before = await made();
      const after = unwrap(await store.update(placeOf(before), ({ spec }) => ({ spec }), PLAIN));
      if (reviews) expect(after.meta.resourceVersion).toBe(before.meta.resourceVersion);
      expect(after.spec).toEqual(before.spec);
    });

    test('writes annotations, and takes away those that are undefined', async () => {
      const place = placeOf(await made());
      const annotate = (annotations: Record<string, string | undefined>) =>
        store.update(place, ({ spec }) => ({ spec, annotations }), PLAIN);
      await annotate({ 'example.com/a': '1', 'example.com/b': '2' });
      await annotate({ 'example.com/a': undefined, 'example.com/c': '3' });
      expect((await store.get(place))?.meta.annotations).toMatchObject({ 'example.com/b': '2', 'example.com/c': '3' });
      expect((await store.get(place))?.meta.annotations).not.toHaveProperty('example.com/a');
    });

    test('refuses what the Kind does not allow, with its path, and changes nothing', async () => {
      const place = fresh();
      const conditions = [{ key: 'model', values: ['a*b'] }];
      const problem = problemOf(await store.create(place, { spec: { ...SPEC, conditions } }, PLAIN));
      expect(problem).toMatchObject({ kind: 'invalid' });
      expect(JSON.stringify(problem)).toContain('conditions');
      expect(await store.get(place)).toBeUndefined();
      await made(place);
      const change = ({ spec }: Policy) => ({ spec: { ...spec, bogus: 1 } });
      expect(problemOf(await store.update(place, change, PLAIN))).toMatchObject({ kind: 'invalid' });
      expect((await store.get(place))?.spec).not.toHaveProperty('bogus');
    });

    test('says what a write would do without doing it', async () => {
      const place = fresh();
      const dry = { force: false, dryRun: true };
      expect(unwrap(await store.create(place, { spec: SPEC }, dry)).spec.value).toBe(SPEC.value);
      expect(await store.get(place)).toBeUndefined();
      await made(place);
      const change = ({ spec }: Policy) => ({ spec: { ...spec, value: 30 } });
      expect(unwrap(await store.update(place, change, dry)).spec.value).toBe(30);
      expect((await store.get(place))?.spec.value).toBe(SPEC.value);
      unwrap(await store.delete(place, dry));
      expect(await store.get(place)).toBeDefined();
    });

    test('has nothing to change or to delete where there is nothing', async () => {
      const place = fresh();
      const change = ({ spec }: Policy) => ({ spec });
      expect(problemOf(await store.update(place, change, PLAIN))).toEqual({ kind: 'absent' });
      expect(problemOf(await store.delete(place, PLAIN))).toEqual({ kind: 'absent' });
    });

    test('deletes, and what comes in the place is a new object', async () => {
      const place = placeOf(await made());
      unwrap(await store.delete(place, PLAIN));
      expect(await store.get(place)).toBeUndefined();
      expect((await store.list(place.kind, place.namespace)).map(({ meta }) => meta.name)).not.toContain(place.name);
      expect((await made(place)).spec.value).toBe(SPEC.value);
    });

    test('loses none of many changes at the same time', async () => {
      const place = placeOf(await made());
      const add = () => store.update(place, ({ spec }) => ({ spec: { ...spec, value: spec.value + 1 } }), PLAIN);
      const outcomes = await Promise.all(Array.from({ length: 20 }, add));
      const lost = outcomes.filter(({ ok }) => !ok).length;
      expect((await store.get(place))?.spec.value).toBe(SPEC.value + outcomes.length - lost);
      expect(lost).toBe(0);
    });

    test.runIf(reviews)('refuses to delete what others use, and names them', async () => {
      const [namespace] = opened.namespaces;
      const used = { kind: 'VirtualKey', namespace, name: 'used' } as const;
      const user = { kind: 'GatewayConfig', namespace, name: 'user' } as const;
      const local = { provider: 'ollama', customHost: 'http://ollama:11434' };
      unwrap(await store.create(used, { spec: local }, PLAIN));
      unwrap(await store.create(user, { spec: { config: { provider: '@used' } } }, PLAIN));
      await expect
        .poll(async () => problemOf(await store.delete(used, { ...PLAIN, dryRun: true })), { timeout: 60_000 })
        .toEqual({ kind: 'in-use', users: [`GatewayConfig/${namespace}/user`] });
      unwrap(await store.delete(user, PLAIN));
      await expect.poll(async () => (await store.delete(used, PLAIN)).ok, { timeout: 60_000 }).toBe(true);
    });

    test.runIf(reviews)('leaves what another tool owns to it, unless it is forced', async () => {
      const place = fresh();
      const annotations = { 'argocd.argoproj.io/tracking-id': 'apps:gatehouse.dev/RateLimitPolicy:a/b' };
      unwrap(await store.create(place, { spec: SPEC, annotations }, PLAIN));
      const change = ({ spec }: Policy) => ({ spec: { ...spec, value: 40 } });
      const owned = { kind: 'owned', owner: 'Argo CD apps' };
      expect(problemOf(await store.update(place, change, PLAIN))).toMatchObject(owned);
      expect(problemOf(await store.delete(place, PLAIN))).toMatchObject(owned);
      expect(unwrap(await store.update(place, change, { force: true })).spec.value).toBe(40);
      unwrap(await store.delete(place, { force: true }));
    });
  });
}

function problemOf<T>(outcome: Awaited<Written<T>>): unknown {
  return outcome.ok ? 'no problem' : outcome.error;
}
