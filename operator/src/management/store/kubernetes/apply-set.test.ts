import { describe, expect, test } from 'vitest';
import type { CustomObject } from '../../../world/index.ts';
import type { FieldEdit } from '../differences.ts';
import { applySet, FIELD_MANAGER, foreignFields, mergePatchOf } from './apply-set.ts';

interface Owned {
  readonly manager: string;
  readonly operation?: 'Apply' | 'Update';
  readonly fields: object;
}

function policy(spec: object, owned: readonly Owned[], annotations: object = {}): CustomObject {
  const managedFields = owned.map(({ manager, operation = 'Apply', fields }) => ({
    ...{ manager, operation },
    fieldsV1: fields,
  }));
  const metadata = { name: 'slow', namespace: 'team-a', uid: 'u', resourceVersion: '7', annotations, managedFields };
  // The API server has more in metadata than the type says.
  return { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'RateLimitPolicy', metadata, spec } as unknown as CustomObject;
}

const edit = (path: string, value: unknown): FieldEdit => ({ path: path.split('.'), value });
const ours = (fields: object, operation: 'Apply' | 'Update' = 'Apply'): Owned => ({
  ...{ manager: FIELD_MANAGER, operation, fields },
});
const place = { name: 'slow', namespace: 'team-a', resourceVersion: '7' };

describe('what is applied', () => {
  const both = [
    ours({ 'f:metadata': { 'f:annotations': { 'f:a': {} } }, 'f:spec': { 'f:value': {}, 'f:limits': { 'f:x': {} } } }),
    { manager: 'kubectl', fields: { 'f:spec': { 'f:unit': {}, 'f:limits': { 'f:y': {} } } } },
  ];
  const live = policy({ value: 1, unit: 'rpm', limits: { x: 1, y: 2 } }, both, { a: '1', theirs: '2' });

  test('is what we own and the change, at the version that was read', () => {
    const { metadata, ...rest } = applySet(live, [edit('spec.value', 2), edit('spec.description', 'new')]);
    expect(metadata).toEqual({ ...place, annotations: { a: '1' } });
    expect(rest).toMatchObject({ spec: { value: 2, description: 'new', limits: { x: 1 } } });
    expect(rest).not.toHaveProperty('spec.unit');
    expect(rest).not.toHaveProperty('spec.limits.y');
  });

  test('leaves out what is taken away, and maps of metadata that are empty then', () => {
    const edits = [
      edit('spec.limits', undefined),
      { path: ['metadata', 'annotations', 'a'], value: undefined },
      edit('spec.none.below', undefined),
    ];
    const sent = applySet(live, edits);
    expect(sent.metadata).toEqual(place);
    expect(sent).toHaveProperty('spec', { value: 1 });
  });

  test('is the change alone where we own nothing', () => {
    const sent = applySet(policy({ value: 1 }, []), [edit('spec.value', 2)]);
    expect(sent).toMatchObject({ metadata: place, spec: { value: 2 } });
  });

  test('changes nothing of the object that was read', () => {
    const before = JSON.stringify(live);
    applySet(live, [edit('spec.limits.x', 5)]);
    expect(JSON.stringify(live)).toBe(before);
  });
});

test('a patch takes fields away with null, at the version that was read', () => {
  const live = policy({ value: 1, limits: { x: 1 } }, []);
  const patch = mergePatchOf(live, [edit('spec.limits.x', undefined), edit('spec.value', 2)]);
  expect(patch).toEqual({ metadata: { resourceVersion: '7' }, spec: { limits: { x: null }, value: 2 } });
});

describe('owners of a change', () => {
  const kubectl = {
    manager: 'kubectl',
    operation: 'Update' as const,
    fields: { 'f:spec': { '.': {}, 'f:value': {} } },
  };
  const flux = { manager: 'kustomize-controller', fields: { 'f:spec': { 'f:value': {}, 'f:list': {} } } };
  const spec = { value: 1, list: ['a'], mine: 1 };

  test('are all other managers of its fields', () => {
    const live = policy(spec, [kubectl, flux, ours({ 'f:spec': { 'f:value': {} } })]);
    const found = foreignFields(live, [edit('spec.value', 2), edit('spec.mine', 2)]);
    expect(found).toMatchObject({ managers: ['kubectl', 'kustomize-controller'], fields: ['spec.value'] });
  });

  test('are not those of other fields, or of the map that a new field goes into', () => {
    const found = foreignFields(policy(spec, [kubectl, flux]), [edit('spec.description', 'new')]);
    expect(found).toEqual({ managers: [], fields: [], outlastApply: false, wasPatched: false });
  });

  test.for([
    { rule: 'a value that is replaced', edits: [edit('spec.value', 2)], owned: [flux], want: false },
    { rule: 'a field of others that goes', edits: [edit('spec.value', undefined)], owned: [flux], want: true },
    { rule: 'a list that others have a part in', edits: [edit('spec.list', [])], owned: [flux], want: true },
    {
      rule: 'a field of ours that goes',
      edits: [edit('spec.mine', undefined)],
      owned: [ours({ 'f:spec': { 'f:mine': {} } })],
      want: false,
    },
    {
      rule: 'a field that goes and that a patch of ours has set',
      edits: [edit('spec.mine', undefined)],
      owned: [ours({ 'f:spec': { 'f:mine': {} } }, 'Update')],
      want: true,
    },
    { rule: 'a field without an owner that goes', edits: [edit('spec.mine', undefined)], owned: [], want: true },
    { rule: 'a new list', edits: [edit('spec.more', ['a'])], owned: [flux], want: false },
  ])('$rule needs a patch: $want', ({ edits, owned, want }) => {
    expect(foreignFields(policy(spec, owned), edits).outlastApply).toBe(want);
  });

  test('are not we, but what a patch of ours has set is taken over by force', () => {
    const live = policy(spec, [ours({ 'f:spec': { 'f:value': {} } }, 'Update')]);
    expect(foreignFields(live, [edit('spec.value', 2)])).toMatchObject({ managers: [], wasPatched: true });
  });
});
