import { API_VERSION } from '@gatehouse/crds/kinds';
import { expect, test } from 'vitest';
import { translate } from '../../translate/index.ts';
import { worldOf } from '../../translate/test-world.ts';
import { permittedOnly, problemInReview } from './review.ts';

const PLACE = { kind: 'Workspace', namespace: undefined, name: 'team-a' } as const;
const OBJECT = {
  apiVersion: API_VERSION,
  kind: 'Workspace',
  metadata: { name: 'team-a' },
  spec: { namespace: 'team-a' },
};

const problem = (labels: Readonly<Record<string, string>> | undefined, isStrict: boolean) => {
  const namespace = { kind: 'Namespace', metadata: { name: 'team-a', labels } };
  const world = worldOf(labels === undefined ? [] : [namespace], { settings: { consent: 'label' } });
  const view = { translatedWorld: () => ({ world, translation: translate(world) }), isTerminating: () => false };
  return problemInReview(PLACE, { operation: 'CREATE', object: isStrict ? permittedOnly(OBJECT) : OBJECT }, view);
};

test.for([
  { rule: 'does not exist', labels: undefined },
  { rule: 'has no label', labels: {} },
  { rule: 'is of another workspace', labels: { 'gatehouse.dev/workspace': 'team-b' } },
])('a workspace whose namespace $rule is made only where it may wait', ({ labels }) => {
  expect(problem(labels, false)).toBeUndefined();
  expect(problem(labels, true)).toMatchObject({
    kind: 'invalid',
    issues: [{ path: ['spec', 'namespace'], message: expect.stringContaining('gatehouse.dev/workspace: team-a') }],
  });
});

test('a workspace whose namespace has its label is made', () => {
  expect(problem({ 'gatehouse.dev/workspace': 'team-a' }, true)).toBeUndefined();
});
