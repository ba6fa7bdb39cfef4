/** A write that ends at any step, as with its process, leaves the old object or the new one, and nothing in the way of the next. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceStore, Written } from '@gatehouse/operator/management';
import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { tempFolder } from '../testing/index.ts';
import { interruptFiles } from './interrupted-files.ts';
import { openStore } from './testing.ts';

const ACCOUNT = { kind: 'VirtualKey', namespace: 'team-a', name: 'account' } as const;

const PLAIN = { force: false };

/** `generation` is in the object and in its Secret. */
const draftOf = (generation: 'old' | 'new', secret: string) => ({
  spec: { provider: 'openai', description: generation, secretRef: { name: secret, key: 'apiKey' } },
  secret: { name: secret, entries: { apiKey: `sk-${generation}` } },
});

const WRITES = {
  create: (store) => store.create(ACCOUNT, draftOf('new', 'account'), PLAIN),
  update: (store) => store.update(ACCOUNT, () => draftOf('new', 'account'), PLAIN),
  move: (store) => store.update(ACCOUNT, () => ({ ...draftOf('new', 'next'), retired: ['account'] }), PLAIN),
  delete: (store) => store.delete(ACCOUNT, PLAIN),
} satisfies Readonly<Record<string, (store: ResourceStore) => Written<unknown>>>;

type WriteName = keyof typeof WRITES;

const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
/** More than any of the writes has. */
const MAX_STEPS = 40;

const filesOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** What is in the folder: the object and the credential that it names. */
async function stateOf(root: string): Promise<{ readonly object: string; readonly key: string | undefined }> {
  const { store, folder } = await openStore(root);
  const { state } = await folder.refresh();
  expect(state.problems).toEqual([]);
  const found = await store.get(ACCOUNT);
  if (found === undefined) return { object: 'none', key: undefined };
  const { description = '', secretRef } = found.spec;
  const secret = parse(readFileSync(join(root, 'team-a', 'secret', `${secretRef?.name}.yaml`), 'utf8'));
  return { object: description, key: secret.stringData.apiKey };
}

/** The object, and what it may have as its credential: in place, the credential is written before the object. */
const ENDS: Readonly<Record<WriteName, readonly { readonly object: string; readonly key: string | undefined }[]>> = {
  create: [
    { object: 'none', key: undefined },
    { object: 'new', key: 'sk-new' },
  ],
  update: [
    { object: 'old', key: 'sk-old' },
    { object: 'old', key: 'sk-new' },
    { object: 'new', key: 'sk-new' },
  ],
  move: [
    { object: 'old', key: 'sk-old' },
    { object: 'new', key: 'sk-new' },
  ],
  delete: [
    { object: 'old', key: 'sk-old' },
    { object: 'none', key: undefined },
  ],
};

test.for(Object.keys(WRITES) as readonly WriteName[])('%s: ended at each step', async (name) => {
  await using files = interruptFiles();
  const seen = new Set<string>();
  for (let stopAt = 1; ; stopAt += 1) {
    expect(stopAt).toBeLessThan(MAX_STEPS);
    using temp = tempFolder({ 'workspace.yaml': WORKSPACE });
    const { path: root } = temp;
    if (name !== 'create') {
      const { store } = await openStore(root);
      unwrap(await store.create(ACCOUNT, draftOf('old', 'account'), { force: false }));
    }
    const opened = await openStore(root);
    const steps = await files.until(stopAt, async () => unwrap(await WRITES[name](opened.store)));
    const state = await stateOf(root);
    seen.add(JSON.stringify(state));
    expect(ENDS[name], `ended at step ${stopAt}`).toContainEqual(state);
    for (const file of filesOf(root)) {
      if (file.includes('/secret/')) expect(statSync(file).mode & 0o777, file).toBe(0o600);
    }
    const { store } = await openStore(root);
    if (state.object === 'none') unwrap(await store.create(ACCOUNT, draftOf('new', 'account'), { force: false }));
    else unwrap(await WRITES.update(store));
    expect(await stateOf(root)).toEqual({ object: 'new', key: 'sk-new' });
    if (steps === undefined) continue;
    expect(steps).toBe(stopAt - 1); // all of them were stopped at
    break;
  }
  expect([...seen].sort()).toEqual(ENDS[name].map((end) => JSON.stringify(end)).sort());
});
