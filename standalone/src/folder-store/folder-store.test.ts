import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { openStore, POLICY_SPEC } from './testing.ts';

const PLAIN = { force: false };
const POLICY = { kind: 'RateLimitPolicy', namespace: 'team-a', name: 'slow' } as const;
const ACCOUNT = { kind: 'VirtualKey', namespace: 'team-a', name: 'openai' } as const;
const WORKSPACE = `# The team
apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
const POLICY_TEXT = `apiVersion: gatehouse.dev/v1alpha1
kind: RateLimitPolicy
metadata:
  name: slow   # its slug
  namespace: team-a
spec:
  conditions: [{ key: model, values: ['@openai/*'] }]
  groupBy: [{ key: api_key }]
  type: requests

  # ten are enough
  unit: rpm
  value: 10 # not more
`;

const read = (root: string, ...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

describe('a new object', () => {
  test('gets a file of its own, below its namespace and Kind', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE });
    const { store } = await openStore(temp.path);
    unwrap(await store.create(POLICY, { spec: { ...POLICY_SPEC, displayName: undefined } }, PLAIN));
    expect(read(temp.path, 'team-a', 'rate-limit-policy', 'slow.yaml')).toBe(`apiVersion: gatehouse.dev/v1alpha1
kind: RateLimitPolicy
metadata:
  name: slow
  namespace: team-a
  creationTimestamp: 2027-01-01T00:00:00Z
spec:
  conditions:
    - key: model
      values:
        - "@openai/*"
  groupBy:
    - key: api_key
  type: requests
  unit: rpm
  value: 10
`);
    expect(read(temp.path, 'workspace.yaml')).toBe(WORKSPACE);
  });

  test('takes no file of somebody else', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE, 'team-a/rate-limit-policy/slow.yaml': '# notes\n' });
    const { store } = await openStore(temp.path);
    unwrap(await store.create(POLICY, { spec: POLICY_SPEC }, PLAIN));
    expect(read(temp.path, 'team-a', 'rate-limit-policy', 'slow.yaml')).toBe('# notes\n');
    expect(existsSync(join(temp.path, 'team-a', 'rate-limit-policy', 'slow-2.yaml'))).toBe(true);
  });

  test('is refused where its file cannot be written, with the name of the file in the folder', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE, 'team-a': 'a file where a folder is needed' });
    const { store } = await openStore(temp.path);
    const outcome = await store.create(POLICY, { spec: POLICY_SPEC }, PLAIN);
    const message = 'team-a/rate-limit-policy/slow.yaml cannot be written (ENOTDIR)';
    expect(outcome).toEqual({ ok: false, error: { kind: 'forbidden', message } });
  });

  test.for(['../../escape', 'a/b', '..', 'A', ''])('is refused with the name %j', async (name) => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE });
    const { store } = await openStore(temp.path);
    const outcome = await store.create({ ...POLICY, name }, { spec: POLICY_SPEC }, PLAIN);
    expect(outcome.ok).toBe(false);
    expect(existsSync(join(temp.path, 'team-a'))).toBe(false);
  });
});

describe('a change', () => {
  test('touches the bytes that it is about, in a file with other objects', async () => {
    using temp = tempFolder({ 'all.yaml': `${WORKSPACE}---\n${POLICY_TEXT}---\n# tail\n` });
    const { store } = await openStore(temp.path);
    const change = { ...POLICY_SPEC, value: 20, description: 'Why' };
    unwrap(await store.update(POLICY, ({ spec }) => ({ spec: { ...spec, ...change } }), PLAIN));
    const text = POLICY_TEXT.replace('value: 10', 'value: 20').concat('  description: Why\n');
    expect(read(temp.path, 'all.yaml')).toBe(`${WORKSPACE}---\n${text}---\n# tail\n`);
  });

  test('sees an edit of the file that was made a moment before', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE, 'policy.yaml': POLICY_TEXT });
    const { store } = await openStore(temp.path);
    temp.write('policy.yaml', POLICY_TEXT.replace('unit: rpm', 'unit: rph'));
    unwrap(await store.update(POLICY, ({ spec }) => ({ spec: { ...spec, value: 20 } }), PLAIN));
    const both = POLICY_TEXT.replace('unit: rpm', 'unit: rph').replace('value: 10', 'value: 20');
    expect(read(temp.path, 'policy.yaml')).toBe(both);
  });

  test('of a workspace that no file has is refused', async () => {
    using temp = tempFolder({ 'policy.yaml': POLICY_TEXT.replace('  namespace: team-a\n', '') });
    const { store } = await openStore(temp.path);
    const place = { kind: 'Workspace', namespace: undefined, name: 'default' } as const;
    const [workspace] = await store.list('Workspace');
    expect(workspace?.meta.name).toBe('default');
    const outcome = await store.update(place, ({ spec }) => ({ spec: { ...spec, displayName: 'X' } }), PLAIN);
    expect(outcome).toMatchObject({ ok: false, error: { kind: 'forbidden' } });
  });
});

describe('a deletion', () => {
  test('removes the file of the object, or its document', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE, 'policy.yaml': POLICY_TEXT });
    const { store } = await openStore(temp.path);
    unwrap(await store.delete(POLICY, PLAIN));
    expect(existsSync(join(temp.path, 'policy.yaml'))).toBe(false);
    temp.write('workspace.yaml', `${WORKSPACE}---\n${POLICY_TEXT}`);
    await expect.poll(async () => (await store.delete(POLICY, PLAIN)).ok, { timeout: 60_000 }).toBe(true);
    expect(read(temp.path, 'workspace.yaml')).toBe(WORKSPACE);
  });
});

describe('the Secret of an object', () => {
  const spec = { provider: 'openai', secretRef: { name: 'openai-key', key: 'key' } };
  const secret = (key: string | undefined) => ({ name: 'openai-key', entries: { key } });
  const file = ['team-a', 'secret', 'openai-key.yaml'];

  test('is a file that only its owner may read, and goes with the object', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE });
    const { store } = await openStore(temp.path);
    const made = unwrap(await store.create(ACCOUNT, { spec, secret: secret('sk-one') }, PLAIN));
    expect(JSON.stringify(made)).not.toContain('sk-one');
    expect(read(temp.path, ...file)).toContain('key: sk-one');
    expect(statSync(join(temp.path, ...file)).mode & 0o777).toBe(0o600);
    expect((await store.get(ACCOUNT))?.status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'ResolvedRefs', status: 'True' })]),
    });
    unwrap(await store.update(ACCOUNT, (old) => ({ spec: old.spec, secret: secret('sk-two') }), PLAIN));
    expect(read(temp.path, ...file)).toContain('key: sk-two');
    expect(statSync(join(temp.path, ...file)).mode & 0o777).toBe(0o600);
    unwrap(await store.delete(ACCOUNT, PLAIN));
    expect(existsSync(join(temp.path, ...file))).toBe(false);
  });

  test('goes when the object has another, unless somebody else wrote it', async () => {
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE });
    const { store } = await openStore(temp.path);
    unwrap(await store.create(ACCOUNT, { spec, secret: secret('sk-one') }, PLAIN));
    const next = { ...spec, secretRef: { name: 'next', key: 'key' } };
    const change = { spec: next, secret: { name: 'next', entries: { key: 'sk-two' } }, retired: ['openai-key'] };
    unwrap(await store.update(ACCOUNT, () => change, PLAIN));
    expect(existsSync(join(temp.path, ...file))).toBe(false);
    expect(read(temp.path, 'team-a', 'secret', 'next.yaml')).toContain('key: sk-two');
    const other = { ...ACCOUNT, name: 'other' };
    unwrap(await store.create(other, { spec: { ...spec, secretRef: undefined, customHost: 'http://a' } }, PLAIN));
    unwrap(await store.update(other, (old) => ({ spec: old.spec, retired: ['next'] }), PLAIN));
    expect(read(temp.path, 'team-a', 'secret', 'next.yaml')).toContain('key: sk-two');
  });

  test('is not taken from whoever wrote it, unless it is forced', async () => {
    const own = `apiVersion: v1\nkind: Secret\nmetadata: { name: openai-key, namespace: team-a }\ndata: { key: c2st }\n`;
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE, 'secret.yaml': own });
    const { store } = await openStore(temp.path);
    const refused = await store.create(ACCOUNT, { spec, secret: secret('sk-one') }, PLAIN);
    expect(refused).toMatchObject({ ok: false, error: { kind: 'owned' } });
    expect(read(temp.path, 'secret.yaml')).toBe(own);
    expect(await store.get(ACCOUNT)).toBeUndefined();
    unwrap(await store.create(ACCOUNT, { spec, secret: secret('sk-one') }, { force: true }));
    expect(read(temp.path, 'secret.yaml')).toContain('sk-one');
    expect(read(temp.path, 'secret.yaml')).not.toContain('c2st');
  });
});
