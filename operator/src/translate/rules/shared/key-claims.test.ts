/** Keys that several ApiKeys bring: whatever happens, at most one of them is served, and it is the one with the best right. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { indexPublished } from '../../incremental/index.ts';
import { type TestObject, testKey, worldOf } from '../../test-world.ts';
import { type Translation, translate } from '../../translate.ts';

const SHA256 = createHash('sha256').update('gwk_of_the_victim').digest('hex');

const workspace = (name: string): TestObject => ({ kind: 'Workspace', metadata: { name }, spec: { namespace: name } });
const apiKey = (place: string, year: number, source: object): TestObject => {
  const [namespace = '', name = ''] = place.split('/');
  return {
    kind: 'ApiKey',
    metadata: { name, namespace, creationTimestamp: `${year}-01-01T00:00:00Z` },
    spec: { type: 'workspace-service', scopes: ['completions.write'], ...source },
  };
};
const secret = (namespace: string): TestObject => ({
  kind: 'Secret',
  metadata: { name: 'key', namespace },
  stringData: { key: 'gwk_of_the_victim' },
});

const WORKSPACES = [workspace('victim'), workspace('squatter'), workspace('third')];
const CLAIM = { sha256: SHA256 };
/** Of another key, with the one in question before it. */
const ROTATED = { sha256: 'ab'.repeat(32), previousKey: { sha256: SHA256, expiresAt: '2030-01-01T00:00:00Z' } };
const PROOF = { secretRef: { name: 'key', key: 'key' } };
const PROVEN = [apiKey('victim/app', 2026, PROOF), secret('victim')];
const SQUAT = apiKey('squatter/app', 2025, CLAIM);

type Step = readonly (TestObject | string)[] | 'restart';

/** Translates after each step: objects are put, keys of objects removed. Gives the ApiKeys that are served with the hash. */
function served(steps: readonly Step[]): string[] {
  const objects = new Map(WORKSPACES.map((object) => [testKey(object), object]));
  let last: Translation | undefined;
  let holders: string[] = [];
  for (const step of steps) {
    for (const item of step === 'restart' ? [] : step) {
      if (typeof item === 'string') expect(objects.delete(item)).toBe(true);
      else objects.set(testKey(item), item);
    }
    const world = worldOf(objects.values(), {});
    const published = last === undefined || step !== 'restart' ? undefined : indexPublished(last.snapshot.entries);
    last = translate(world, step === 'restart' ? undefined : last, published);
    holders = last.snapshot.entries.flatMap(({ kind, id, body, stale }) =>
      kind === 'key' && [...body.sha256, body.previous?.sha256].includes(SHA256)
        ? [`${id.slice('key/'.length)}${stale === true ? ' (stale)' : ''}`]
        : [],
    );
    expect(holders.length).toBeLessThanOrEqual(1);
  }
  return holders;
}

describe('a key is served for', () => {
  test.for<{ rule: string; steps: readonly Step[]; holder: string | undefined }>([
    {
      rule: 'who claims it first, of those who only claim it',
      steps: [[SQUAT, apiKey('third/app', 2026, CLAIM)]],
      holder: 'squatter/app',
    },
    { rule: 'who has it, whenever he comes', steps: [[SQUAT], PROVEN], holder: 'victim/app' },
    { rule: 'who has it, also when the claim comes later', steps: [PROVEN, [SQUAT]], holder: 'victim/app' },
    {
      rule: 'the oldest of those who have it',
      steps: [PROVEN, [apiKey('third/app', 2025, PROOF), secret('third')]],
      holder: 'third/app',
    },
    {
      rule: 'who had it last, while his Secret is away',
      steps: [PROVEN, [SQUAT], ['Secret/victim/key']],
      holder: 'victim/app (stale)',
    },
    {
      rule: 'who had it last, when the claim comes while his Secret is away',
      steps: [PROVEN, ['Secret/victim/key'], [SQUAT]],
      holder: 'victim/app (stale)',
    },
    {
      rule: 'who had it last, over a restart',
      steps: [PROVEN, [SQUAT], ['Secret/victim/key'], 'restart'],
      holder: 'victim/app (stale)',
    },
    {
      rule: 'who had it last, also if his ApiKey broke over a restart',
      steps: [PROVEN, [SQUAT], [apiKey('victim/app', 2026, { type: 'nonsense' })], 'restart'],
      holder: 'victim/app (stale)',
    },
    {
      rule: 'who has it, and no longer for who only had it',
      steps: [PROVEN, ['Secret/victim/key'], [apiKey('third/app', 2026, PROOF), secret('third')]],
      holder: 'third/app',
    },
    {
      rule: 'who has it, and no longer for who had it and broke',
      steps: [
        PROVEN,
        [apiKey('victim/app', 2026, { type: 'nonsense' })],
        'restart',
        [apiKey('third/app', 2026, PROOF), secret('third')],
      ],
      holder: 'third/app',
    },
    {
      rule: 'who has it, and not for a claim that was turned into a reference to nothing',
      steps: [[SQUAT], [apiKey('squatter/app', 2025, PROOF)], PROVEN],
      holder: 'victim/app',
    },
    {
      rule: 'who has it, whatever was published for a claim before',
      steps: [[SQUAT], [apiKey('squatter/app', 2025, PROOF), ...PROVEN], 'restart'],
      holder: 'victim/app',
    },
    {
      rule: 'who had it before a rotation',
      steps: [[apiKey('victim/app', 2026, ROTATED)]],
      holder: 'victim/app',
    },
    {
      rule: 'who claims it, over who claims to have had it before a rotation',
      steps: [[apiKey('squatter/app', 2025, ROTATED)], [apiKey('third/app', 2026, CLAIM)]],
      holder: 'third/app',
    },
    {
      rule: 'who has it, whoever claims to have had it before a rotation',
      steps: [PROVEN, [apiKey('squatter/app', 2025, ROTATED)]],
      holder: 'victim/app',
    },
    {
      rule: 'the oldest of those who claim to have had it before a rotation, and then the next',
      steps: [[apiKey('victim/app', 2026, ROTATED)], [apiKey('third/app', 2027, ROTATED)], ['ApiKey/victim/app']],
      holder: 'third/app',
    },
    {
      rule: 'nobody, once the previous key is taken out',
      steps: [[apiKey('victim/app', 2026, ROTATED)], [apiKey('victim/app', 2026, { sha256: 'ab'.repeat(32) })]],
      holder: undefined,
    },
    {
      rule: 'who claims it, once who has it is gone',
      steps: [PROVEN, [SQUAT], ['ApiKey/victim/app']],
      holder: 'squatter/app',
    },
  ])('$rule', ({ steps, holder }) => {
    expect(served(steps)).toEqual(holder === undefined ? [] : [holder]);
  });
});
