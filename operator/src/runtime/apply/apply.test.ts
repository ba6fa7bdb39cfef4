import { describe, expect, test } from 'vitest';
import type { KindRef, KubeObject } from '../client/index.ts';
import { createApplier } from './apply.ts';

interface Thing extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const kind: KindRef<Thing> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const thing = (data: Thing['data']): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name: 'a', annotations: { note: 'x' } },
  data,
});
const signal = new AbortController().signal;

/** An applier whose cache shows what was sent, as far as `drift` leaves it. */
function start(drift: (object: Thing) => KubeObject | undefined = (object) => object) {
  let sent: Thing | undefined;
  const calls: KubeObject[] = [];
  const applier = createApplier({
    client: {
      apply: async (_kind, object) => {
        calls.push(object);
        sent = object as Thing; // what this test applies
        return object as never; // unused
      },
    },
    fieldManager: 'm',
    digestAnnotation: 'example.com/digest',
    kinds: [kind],
    live: () => (sent === undefined ? undefined : drift(sent)),
  });
  return { calls, apply: (data: Thing['data']) => applier.apply(thing(data), { signal }) };
}

describe('an applier', () => {
  test('applies once, and again when the intent changes, even to less', async () => {
    const { calls, apply } = start();
    expect(await apply({ a: '1', b: '1' })).toBe('applied');
    expect(await apply({ a: '1', b: '1' })).toBe('unchanged');
    expect(await apply({ a: '1' })).toBe('applied');
    expect(calls).toHaveLength(2);
    expect(calls[0]?.metadata.annotations).toMatchObject({ note: 'x', 'example.com/digest': expect.any(String) });
  });

  test.for([
    { rule: 'is gone', drift: () => undefined },
    { rule: 'has lost a field', drift: (object: Thing) => ({ ...object, data: {} }) },
    { rule: 'has lost its digest', drift: (object: Thing) => ({ ...object, metadata: { namespace: 'n', name: 'a' } }) },
  ])('applies again when the object $rule', async ({ drift }) => {
    const { apply } = start(drift);
    await apply({ a: '1' });
    expect(await apply({ a: '1' })).toBe('applied');
  });

  test('refuses a Kind that was not declared', async () => {
    const { client } = { client: { apply: () => Promise.reject(new Error('boom')) } };
    const applier = createApplier({
      client,
      fieldManager: 'm',
      digestAnnotation: 'd',
      kinds: [],
      live: () => undefined,
    });
    await expect(applier.apply(thing({}), { signal })).rejects.toThrow(TypeError);
  });
});
