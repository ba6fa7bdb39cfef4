/** What every store of the management API does: operator/src/management/store/port.ts. */
import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Place,
  type ResourceStore,
  SCIM_LABELS,
  type StoredObject,
  type Written,
} from '../../../operator/src/management/index.ts';

export interface OpenedStore extends AsyncDisposable {
  readonly store: ResourceStore;
  /** Two namespaces, each of a workspace, without other objects. */
  readonly namespaces: readonly [string, string];
  /** What is in a Secret, as whoever may read it sees it; undefined without such a Secret. */
  secret?(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Makes a Secret in the first namespace, of somebody else or of an object: `Kind/name`. */
  makeSecret?(name: string, entries: Readonly<Record<string, string>>, belongsTo?: string): Promise<void>;
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

    test('writes labels, and takes away those that are undefined', async () => {
      const place = fresh();
      const labels = { 'example.com/a': '1', 'example.com/b': '2' };
      const object = unwrap(await store.create(place, { spec: SPEC, labels }, PLAIN));
      expect(object.meta.labels).toMatchObject(labels);
      const change = { 'example.com/a': undefined, 'example.com/b': '3' };
      const changed = unwrap(await store.update(place, ({ spec }) => ({ spec, labels: change }), PLAIN));
      expect(changed.meta.labels).toEqual({ 'example.com/b': '3' });
      expect((await store.get(place))?.meta.labels).toEqual({ 'example.com/b': '3' });
    });

    test('lets nobody but SCIM change what SCIM has made, unless by force, until it has the mark no more', async () => {
      const place = fresh();
      unwrap(await store.create(place, { spec: SPEC, labels: SCIM_LABELS }, PLAIN));
      const change = ({ spec }: Policy) => ({ spec: { ...spec, value: 11 } });
      const refused = { ok: false, error: { kind: 'owned', owner: 'SCIM' } };
      expect(await store.update(place, change, PLAIN)).toMatchObject(refused);
      expect(await store.delete(place, PLAIN)).toMatchObject(refused);
      const unmarked = Object.fromEntries(Object.keys(SCIM_LABELS).map((label) => [label, undefined]));
      unwrap(await store.update(place, ({ spec }) => ({ spec, labels: unmarked }), { force: true }));
      expect(unwrap(await store.update(place, change, PLAIN)).spec.value).toBe(11);
      unwrap(await store.delete(place, PLAIN));
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

    test('loses none of a hundred changes at the same time', async () => {
      const place = placeOf(await made());
      const add = () => store.update(place, ({ spec }) => ({ spec: { ...spec, value: spec.value + 1 } }), PLAIN);
      const outcomes = await Promise.all(Array.from({ length: 100 }, add));
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
      expect((await store.get(place))?.spec.value).toBe(SPEC.value + outcomes.length);
    });

    test('makes many objects at the same time, and lists them in the order of their creation', async () => {
      const places = Array.from({ length: 20 }, () => fresh(1));
      const outcomes = await Promise.all(
        places.toReversed().map((place) => store.create(place, { spec: SPEC }, PLAIN)),
      );
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
      const metas = (await store.list('RateLimitPolicy', opened.namespaces[1])).map(({ meta }) => meta);
      expect(metas.map(({ name: own }) => own)).toEqual(expect.arrayContaining(places.map(({ name: own }) => own)));
      const times = metas.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted());
      expect(new Set(metas.map(({ uid }) => uid)).size).toBe(metas.length);
    });

    test('changes nothing when a change fails, and goes on with the next', async () => {
      const place = placeOf(await made());
      const failing = store.update(place, () => raise('the change failed'), PLAIN);
      const next = store.update(place, ({ spec }) => ({ spec: { ...spec, value: 70 } }), PLAIN);
      await expect(failing).rejects.toThrow('the change failed');
      expect(unwrap(await next).spec).toEqual({ ...(await store.get(place))?.spec, value: 70 });
    });

    test('takes nested values away, also those whose schema is open, and replaces lists', async () => {
      const place = { kind: 'GatewayConfig', namespace: opened.namespaces[0], name: 'nested' } as const;
      const bare = { provider: 'ollama', customHost: 'http://ollama:11434' };
      const params = { temperature: 1, response_format: { type: 'json_schema' }, stop: ['a', 'b'] };
      const config = { ...bare, retry: { attempts: 3 }, overrideParams: params };
      unwrap(await store.create(place, { spec: { config } }, PLAIN));
      const wanted = { ...bare, overrideParams: { temperature: null, stop: ['b'] }, cache: { mode: 'simple' } };
      const after = unwrap(await store.update(place, () => ({ spec: { config: wanted } }), PLAIN)).spec.config;
      expect(after).toMatchObject(wanted);
      expect(after).not.toHaveProperty('retry');
      expect(after).toHaveProperty('overrideParams', wanted.overrideParams);
      const left = unwrap(await store.update(place, () => ({ spec: { config: bare } }), PLAIN)).spec.config;
      expect(left).not.toHaveProperty('overrideParams');
      expect(left).not.toHaveProperty('cache');
    });

    test('keeps objects that are in no namespace', async () => {
      const place = { kind: 'Workspace', namespace: undefined, name: `${opened.namespaces[0]}-other` } as const;
      const made = unwrap(await store.create(place, { spec: { namespace: place.name } }, PLAIN));
      expect(made.meta).toMatchObject({ name: place.name, namespace: undefined });
      const names = async () => (await store.list('Workspace')).map(({ meta }) => meta.name);
      expect(await names()).toContain(place.name);
      expect((await store.find('Workspace', made.meta.uid))?.meta.name).toBe(place.name);
      const rename = ({ spec }: StoredObject<'Workspace'>) => ({ spec: { ...spec, displayName: 'Other' } });
      expect(unwrap(await store.update(place, rename, PLAIN)).spec.displayName).toBe('Other');
      unwrap(await store.delete(place, PLAIN));
      expect(await names()).not.toContain(place.name);
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

    describe.runIf(reviews)('with the Secret of an object', () => {
      const account = (): Place<'VirtualKey'> => ({ ...fresh(), kind: 'VirtualKey' });
      const inSecret = (name: string, entries: Readonly<Record<string, string | undefined>>) => ({
        spec: { provider: 'openai', secretRef: { name, key: 'apiKey' } },
        secret: { name, entries },
      });
      const secretOf = async (name: string) => unwrapSecret(await opened.secret?.(name));

      test('writes, replaces and takes away its entries, and shows none of them', async () => {
        const place = account();
        const first = { apiKey: 'sk-of-the-suite-1', old: 'sk-of-the-suite-0' };
        const made = unwrap(await store.create(place, inSecret(place.name, first), PLAIN));
        expect(await secretOf(place.name)).toEqual(first);
        const second = { apiKey: 'sk-of-the-suite-2', old: undefined };
        const changed = unwrap(await store.update(place, () => inSecret(place.name, second), PLAIN));
        expect(await secretOf(place.name)).toEqual({ apiKey: 'sk-of-the-suite-2' });
        const shown = [made, changed, await store.get(place), await store.list('VirtualKey')];
        expect(JSON.stringify(shown)).not.toContain('sk-of-the-suite');
      });

      test('empties the one that it has no more, unless that belongs to another object', async () => {
        const [place, other] = [account(), account()];
        const next = `${place.name}-next`;
        unwrap(await store.create(place, inSecret(place.name, { apiKey: 'one' }), PLAIN));
        const change = () => ({ ...inSecret(next, { apiKey: 'two' }), retired: [place.name] });
        unwrap(await store.update(place, change, PLAIN));
        expect((await opened.secret?.(place.name)) ?? {}).toEqual({});
        expect(await secretOf(next)).toEqual({ apiKey: 'two' });
        unwrap(await store.create(other, inSecret(other.name, { apiKey: 'three' }), PLAIN));
        unwrap(await store.update(other, ({ spec }) => ({ spec, retired: [next] }), PLAIN));
        expect(await secretOf(next)).toEqual({ apiKey: 'two' });
      });

      test('is written for no object that is refused, and not in a dry run', async () => {
        const place = account();
        const { spec, secret } = inSecret(place.name, { apiKey: 'one' });
        const wrong = { spec: { ...spec, provider: 'no such provider' }, secret };
        expect(problemOf(await store.create(place, wrong, PLAIN))).toMatchObject({ kind: 'invalid' });
        unwrap(await store.create(place, { spec, secret }, { force: false, dryRun: true }));
        expect(await opened.secret?.(place.name)).toBeUndefined();
        unwrap(await store.create(place, { spec, secret }, PLAIN));
        const other = inSecret(place.name, { apiKey: 'two' }).secret;
        expect((await store.update(place, () => ({ ...wrong, secret: other }), PLAIN)).ok).toBe(false);
        unwrap(await store.update(place, () => ({ spec, secret: other }), { force: false, dryRun: true }));
        expect(await secretOf(place.name)).toEqual({ apiKey: 'one' });
      });

      test('is taken over without its entries where a creation was cut off', async () => {
        const place = account();
        const left = { apiKey: 'left', other: 'left, too' };
        await opened.makeSecret?.(place.name, left, `VirtualKey/${place.name}`);
        unwrap(await store.create(place, inSecret(place.name, { apiKey: 'new' }), PLAIN));
        expect(await secretOf(place.name)).toEqual({ apiKey: 'new' });
      });

      test('is not taken from somebody else', async () => {
        const place = account();
        await opened.makeSecret?.(`${place.name}-theirs`, { apiKey: 'theirs' });
        const draft = inSecret(`${place.name}-theirs`, { apiKey: 'ours' });
        const refused = problemOf(await store.create(place, draft, PLAIN));
        expect(refused).toMatchObject({ kind: 'owned', fields: ['apiKey'] });
        expect(await secretOf(`${place.name}-theirs`)).toEqual({ apiKey: 'theirs' });
        expect(await store.get(place)).toBeUndefined();
      });
    });
  });
}

function raise(message: string): never {
  throw new Error(message);
}

function unwrapSecret(entries: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  if (entries === undefined) throw new Error('there is no such Secret');
  return entries;
}

function problemOf<T>(outcome: Awaited<Written<T>>): unknown {
  return outcome.ok ? 'no problem' : outcome.error;
}
