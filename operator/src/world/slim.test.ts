import { expect, test } from 'vitest';
import type { CustomObject } from './kind-refs.ts';
import { createSlimmer } from './slim.ts';

const keyOf = (name: string, version = '1', status?: CustomObject['status']): CustomObject =>
  structuredClone({
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'ApiKey',
    metadata: { name, namespace: 'team', uid: name, resourceVersion: version, generation: 1 },
    spec: { sha256: name, scopes: ['completions.write'], defaults: { metadata: { app: name } } },
    ...(status === undefined ? {} : { status }),
  });

const specOf = ({ spec }: CustomObject) => spec as { readonly scopes: object; readonly defaults: object }; // see above

test('keys have the parts in common that are equal', () => {
  const slimmed = createSlimmer([]);
  const [a, b] = [slimmed('ApiKey', keyOf('a'), undefined), slimmed('ApiKey', keyOf('b'), undefined)];
  expect([a, b]).toEqual([keyOf('a'), keyOf('b')]);
  expect(specOf(a).scopes).toBe(specOf(b).scopes);
  expect(specOf(a).defaults).not.toBe(specOf(b).defaults);
});

test('statuses that are equal are one, and conditions of others are no part of them', () => {
  const slimmed = createSlimmer([]);
  const ready = { type: 'Ready', status: 'True' };
  const status = { conditions: [ready, { type: 'Theirs', status: 'True' }] };
  const [a, b] = ['a', 'b'].map((name) => slimmed('ApiKey', keyOf(name, '1', status), undefined));
  expect(a?.status).toEqual({ conditions: [ready] });
  expect(a?.status).toBe(b?.status);
});

test('a new version with the same content has the content of the last one, and its own version', () => {
  const slimmed = createSlimmer([]);
  const before = slimmed('ApiKey', keyOf('a'), undefined);
  const after = slimmed('ApiKey', keyOf('a', '2'), before);
  expect(after).toEqual(keyOf('a', '2'));
  expect(after.spec).toBe(before.spec);
});
