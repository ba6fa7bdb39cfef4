import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Revision, type Revisions, versionIdOf } from '../../index.ts';
import { createTestManagement, type TestManagement } from '../../testing.ts';

/** Keeps in memory what the database keeps. */
function createKept() {
  const kept = new Map<string, Revision[]>();
  const forgotten: string[] = [];
  const revisions: Revisions = {
    note: (object) => {
      const versionId = versionIdOf(object);
      const others = (kept.get(object.meta.uid) ?? []).filter((one) => one.versionId !== versionId);
      const content = JSON.parse(JSON.stringify(object.spec));
      kept.set(object.meta.uid, [{ versionId, content, madeAt: new Date(Date.UTC(2027, 0, 1)) }, ...others]);
    },
    forget: (uid) => void forgotten.push(uid),
    list: async (uid) => kept.get(uid) ?? [],
    close: async () => undefined,
  };
  return { revisions, kept, forgotten };
}

const memory = createKept();
let management: TestManagement;
let without: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['configs', 'guardrails'], { revisions: memory.revisions });
  without = await createTestManagement(['configs']);
});
afterAll(() => Promise.all([management.close(), without.close()]));

interface Version {
  readonly version_id: string;
  readonly config: string;
  readonly name: string;
}

const providers = async (slug: string, at = management): Promise<readonly unknown[]> =>
  ((await at.call('a', 'GET', `/configs/${slug}/versions`)).body['data'] as Version[]).map(
    ({ config }) => JSON.parse(config).provider,
  );
async function make(config: object, at = management): Promise<string> {
  const answer = await at.call('a', 'POST', '/configs', { name: 'C', config });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return String(answer.body['slug']);
}
const put = (slug: string, provider: string, at = management) =>
  at.call('a', 'PUT', `/configs/${slug}`, { config: { provider } });

test('the versions of a config are listed, the current one first, and an old content is its old version', async () => {
  const slug = await make({ provider: '@one' });
  const first = (await management.call('a', 'GET', `/configs/${slug}`)).body['version_id'];
  await put(slug, '@two');
  await put(slug, '@three');
  expect(await providers(slug)).toEqual(['@three', '@two', '@one']);
  expect((await put(slug, '@one')).body['version_id']).toBe(first);
  expect(await providers(slug)).toEqual(['@one', '@three', '@two']);
  const { body } = await management.call('a', 'GET', `/configs/${slug}/versions?page_size=1&current_page=1`);
  expect(body).toMatchObject({
    object: 'list',
    total: 3,
    data: [{ slug, name: 'C', format: 'json', object: 'config', last_updated_at: '2027-01-01T00:00:00.000Z' }],
  });
  expect((await management.call('b', 'GET', `/configs/${slug}/versions`)).status).toBe(404);
});

test('a change of the name makes a version, and writing the same makes none', async () => {
  const slug = await make({ provider: '@one' });
  await put(slug, '@one');
  expect(await providers(slug)).toHaveLength(1);
  await management.call('a', 'PUT', `/configs/${slug}`, { name: 'D' });
  const { body } = await management.call('a', 'GET', `/configs/${slug}/versions`);
  expect((body['data'] as Version[]).map(({ name }) => name)).toEqual(['D', 'C']);
});

test('what somebody else wrote is the current version, also before it is kept, and a write keeps it', async () => {
  const slug = await make({ provider: '@one' });
  const place = { kind: 'GatewayConfig', namespace: 'team-a', name: slug } as const;
  const spec = { displayName: 'C', config: { provider: '@kubectl' } };
  await management.store.update(place, () => ({ spec }), { force: false });
  expect(await providers(slug)).toEqual(['@kubectl', '@one']);
  await put(slug, '@two');
  expect(await providers(slug)).toEqual(['@two', '@kubectl', '@one']);
});

test('keys are in no version', async () => {
  const slug = await make({ provider: 'openai', api_key: 'canary-1' });
  await management.call('a', 'PUT', `/configs/${slug}`, { config: { provider: 'openai', api_key: 'canary-2' } });
  const { body } = await management.call('a', 'GET', `/configs/${slug}/versions`);
  expect(JSON.parse(String((body['data'] as Version[])[1]?.config))).toEqual({
    provider: 'openai',
    api_key: '********',
  });
  expect(JSON.stringify([body, [...memory.kept.values()]])).not.toContain('canary');
});

test('a version that this release cannot read is left out', async () => {
  const slug = await make({ provider: '@one' });
  const uid = String((await management.call('a', 'GET', `/configs/${slug}`)).body['id']);
  memory.kept.get(uid)?.push({ versionId: 'other', content: { config: 7 }, madeAt: new Date(0) });
  expect(await providers(slug)).toEqual(['@one']);
});

test('the versions of a config go with it', async () => {
  const slug = await make({ provider: '@one' });
  const uid = String((await management.call('a', 'GET', `/configs/${slug}`)).body['id']);
  expect((await management.call('a', 'DELETE', `/configs/${slug}`)).status).toBe(200);
  expect(memory.forgotten).toContain(uid);
});

test('where nothing keeps versions there is the current one', async () => {
  const slug = await make({ provider: '@one' }, without);
  await put(slug, '@two', without);
  expect(await providers(slug, without)).toEqual(['@two']);
});

test('the version of a guardrail changes with its content alone', async () => {
  const checks = [{ id: 'default.contains', parameters: { words: ['a'], operator: 'none' } }];
  const made = await management.call('a', 'POST', '/guardrails', { name: 'G', checks });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const rename = (name: string) => management.call('a', 'PUT', `/guardrails/${String(made.body['slug'])}`, { name });
  expect((await rename('G')).body['version_id']).toBe(made.body['version_id']);
  expect((await rename('H')).body['version_id']).not.toBe(made.body['version_id']);
  expect((await rename('G')).body['version_id']).toBe(made.body['version_id']);
});
