/** What is published is changed, deleted or put back to an old state under the eyes of a running operator. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OperatorProcess, pathOf, runPods, startOperator } from '../../../operator/operator/support.ts';
import { GONE, type History, KEPT, makeHistory, type Part, partOf, publishedThings, restore } from './support.ts';

let history: History;
let operator: OperatorProcess;
beforeAll(async () => {
  history = await makeHistory(async ({ setup }) => {
    operator = await startOperator(setup);
  }, 12);
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await history[Symbol.asyncDispose]();
});

/** What a gateway that begins now would load: the digest by name of each object, without what differs from write to write. */
async function content(): Promise<ReadonlyMap<string, string>> {
  const things = await publishedThings(history.stage);
  const manifest = things.find(({ metadata }) => metadata.name === 'main-snapshot');
  const { digest, shards } = JSON.parse(manifest?.data?.['manifest.json'] ?? '{"shards":[]}');
  const named = things.filter(({ metadata }) => shards.some(({ name }: { name: string }) => name === metadata.name));
  return new Map([
    ['digest', String(digest)],
    ['journal', String(things.some(({ metadata }) => metadata.name === 'main-shards'))],
    ...named.map(({ metadata, data }) => [metadata.name, JSON.stringify(data)] as const),
  ]);
}

async function untilBack(was: ReadonlyMap<string, string>): Promise<void> {
  const same = async (): Promise<boolean> => JSON.stringify([...(await content())]) === JSON.stringify([...was]);
  await waitFor(same, { what: 'what was published' });
}

/** A gateway that begins now has the content of today, and so has the old one. */
async function expectServed(): Promise<void> {
  const [fresh] = await runPods(history.stage);
  await using _fresh = fresh;
  for (const pod of [fresh, history.pod]) expect([await pod?.ask(GONE), await pod?.ask(KEPT)]).toEqual([401, model]);
  await fresh?.report(false);
}

let model = 'model-2';
async function edit(): Promise<void> {
  model = `model-${Number(model.slice('model-'.length)) + 1}`;
  await history.edit(model);
  await history.programmed();
}

describe('with an operator that runs', () => {
  test.for<{ readonly what: string; readonly parts: readonly Part[]; readonly anew?: boolean }>([
    { what: 'an old manifest', parts: ['manifest'] },
    { what: 'an old manifest that is another object', parts: ['manifest'], anew: true },
    { what: 'an old journal', parts: ['journal'] },
    { what: 'old shards', parts: ['shards'], anew: true },
    { what: 'everything as it was', parts: ['manifest', 'journal', 'shards', 'status'], anew: true },
  ])('$what does not stay, and what comes next is served', async ({ parts, anew = false }) => {
    const was = await content();
    await restore(history.stage, history.backup, { parts: new Set(parts), anew });
    await untilBack(was);
    expect(await history.pod.ask(GONE)).toBe(401);
    await edit();
    await expectServed();
  });

  test.for<{ readonly part: Part }>([{ part: 'manifest' }, { part: 'journal' }, { part: 'shards' }])(
    'a deleted object ($part) is back',
    async ({ part }) => {
      const was = await content();
      const names = (await publishedThings(history.stage)).filter(({ metadata }) => partOf(metadata.name) === part);
      expect(names.length).toBeGreaterThan(0);
      for (const thing of names) await history.stage.cluster.request('DELETE', pathOf(thing));
      await untilBack(was);
      await edit();
      await expectServed();
    },
  );

  test('an object without its label gets it back, and is watched as before', async () => {
    const { cluster } = history.stage;
    const was = await content();
    const things = (await publishedThings(history.stage)).filter(({ metadata }) => was.has(metadata.name));
    const body = { metadata: { labels: { 'gatehouse.dev/fleet': null } } };
    const manifest = pathOf({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: history.stage.fleets, name: 'main-snapshot' },
    });
    for (const path of [manifest, ...things.map(pathOf)])
      await cluster.request('PATCH', path, { body, contentType: 'application/merge-patch+json' });
    const labelled = async () => (await publishedThings(history.stage)).map(({ metadata }) => metadata.name);
    const wanted = ['main-snapshot', ...things.map(({ metadata }) => metadata.name)];
    const all = async () => {
      const names = await labelled();
      return wanted.every((name) => names.includes(name));
    };
    await waitFor(all, { what: 'labels' });
    for (const thing of things) await cluster.request('DELETE', pathOf(thing));
    await untilBack(was);
  });
});
