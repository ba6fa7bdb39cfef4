import { describe, expect, test } from 'vitest';
import { type TestObject, worldOf } from './test-world.ts';
import { translate } from './translate.ts';
import type { SecretData, World } from './types/index.ts';

const workspace: TestObject = { kind: 'Workspace', metadata: { name: 'team-a' }, spec: { namespace: 'team-a' } };
const virtualKey = (name: string, generation = 1): TestObject => ({
  kind: 'VirtualKey',
  metadata: { name, namespace: 'team-a', generation },
  spec: { provider: 'openai', secretRef: { name, key: 'key' } },
});
const secret = (name: string): TestObject => ({
  kind: 'Secret',
  metadata: { name, namespace: 'team-a' },
  stringData: { key: `sk-${name}` },
});
const apiKey = (name: string): TestObject => ({
  kind: 'ApiKey',
  metadata: { name, namespace: 'team-a', generation: 1 },
  spec: { type: 'workspace-service', secretRef: { name, key: 'key' }, scopes: ['completions.write'] },
});
const OBJECTS = [workspace, secret('good'), secret('bad'), virtualKey('good'), virtualKey('bad')];

/** A world in which the Secret `bad` cannot be read without a failure. */
function failing(world: World): World {
  const get = (key: string): SecretData | undefined => {
    if (key === 'team-a/bad') throw new Error('boom');
    return world.secrets.get(key);
  };
  return { ...world, secrets: { get } };
}

const idsOf = ({ snapshot }: ReturnType<typeof translate>) => snapshot.entries.map(({ id }) => id);
const verdictOf = ({ verdicts }: ReturnType<typeof translate>, key: string) =>
  verdicts.find((verdict) => verdict.key === key);

describe('an object on which a translation fails', () => {
  test('gets the verdict, and all others are served', () => {
    const made = translate(failing(worldOf(OBJECTS)));
    expect(verdictOf(made, 'VirtualKey/team-a/bad')).toMatchObject({
      serves: 'nothing',
      conditions: { Accepted: { status: 'False', reason: 'InternalError' } },
    });
    expect(verdictOf(made, 'VirtualKey/team-a/good')).toMatchObject({ serves: 'current' });
    expect(idsOf(made)).toContain('provider/team-a/good');
    expect(idsOf(made)).not.toContain('provider/team-a/bad');
    expect(made.failures).toEqual([{ key: 'VirtualKey/team-a/bad', error: new Error('boom') }]);
  });

  test('keeps its last good entries', () => {
    const before = translate(worldOf(OBJECTS));
    const made = translate(failing(worldOf(OBJECTS)), before);
    expect(verdictOf(made, 'VirtualKey/team-a/bad')).toMatchObject({ serves: 'last good' });
    expect(made.snapshot.entries.find(({ id }) => id === 'provider/team-a/bad')).toMatchObject({ stale: true });
  });

  test('is served again when the failure is over', () => {
    const broken = translate(failing(worldOf(OBJECTS)));
    const made = translate(worldOf(OBJECTS), broken);
    expect(verdictOf(made, 'VirtualKey/team-a/bad')).toMatchObject({ serves: 'current' });
    expect(made.failures).toEqual([]);
  });

  test('has a verdict without the text of the error', () => {
    const made = translate(failing(worldOf(OBJECTS)));
    expect(JSON.stringify(made.verdicts)).not.toContain('boom');
  });

  test('may be an ApiKey whose Secret fails', () => {
    const made = translate(failing(worldOf([workspace, secret('good'), apiKey('good'), apiKey('bad')])));
    expect(verdictOf(made, 'ApiKey/team-a/bad')).toMatchObject({
      conditions: { Accepted: { reason: 'InternalError' } },
    });
    expect(idsOf(made)).toContain('key/team-a/good');
  });

  test('may be one whose members throw', () => {
    const unreadable = virtualKey('bad');
    Object.defineProperty(unreadable, 'spec', {
      enumerable: true,
      get: () => {
        throw new Error('boom');
      },
    });
    const world = worldOf([workspace, secret('good'), virtualKey('good')]);
    const objects = new Map([...virtualKeysOf(world), ['team-a/bad', unreadable as never]]);
    const made = translate({ ...world, resources: new Map(world.resources).set('VirtualKey', objects) });
    expect(verdictOf(made, 'VirtualKey/team-a/bad')).toMatchObject({
      conditions: { Accepted: { status: 'False', reason: 'InternalError' } },
    });
    expect(idsOf(made)).toContain('provider/team-a/good');
  });
});

const virtualKeysOf = (world: World) => {
  const all = new Map<string, never>();
  world.resources.get('VirtualKey')?.forEach((object, key) => {
    all.set(key, object as never);
  });
  return all;
};
