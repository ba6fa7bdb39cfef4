import { parseJson } from '@gatehouse/crds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutManagedFields, withSpecWrites } from './managed-fields.ts';

const MANAGED = [
  { manager: 'm', fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:type': {} } } } } },
  { manager: 'a "b" \\ [', fieldsV1: {} },
];

const object = (metadata: object, rest: object = {}) => ({ apiVersion: 'g/v1', kind: 'K', metadata, ...rest });

describe('the text of an object', () => {
  test('loses its managed fields and nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '}', 'a', 'managedFields', '":[') });
    const value = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 2 })), { maxKeys: 3 });
    fc.assert(
      fc.property(value, value, value, (annotations, labels, spec) => {
        const [before, after] = [{ annotations, labels }, { name: 'n' }];
        const rest = { spec: { ...spec, managedFields: [spec] } };
        const whole = JSON.stringify(object({ ...before, managedFields: MANAGED, ...after }, rest));
        expect(withoutManagedFields(whole)).toBe(JSON.stringify(object({ ...before, ...after }, rest)));
      }),
    );
  });

  test.for([
    { rule: 'an event of a watch', wrap: (of: object) => ({ type: 'MODIFIED', object: of }) },
    { rule: 'an item of a list of a built-in Kind', wrap: ({ metadata }: ReturnType<typeof object>) => ({ metadata }) },
  ])('loses them in $rule', ({ wrap }) => {
    const text = withoutManagedFields(JSON.stringify(wrap(object({ managedFields: MANAGED, name: 'n' }))));
    expect(parseJson(text)).toEqual(wrap(object({ name: 'n' })));
  });

  test.for([
    { rule: 'without them', text: '{"kind":"K","metadata":{"name":"n"},"spec":{"managedFields":[1]}}' },
    { rule: 'whose metadata come late', text: '{"spec":{},"metadata":{"managedFields":[],"name":"n"}}' },
    { rule: 'with nothing behind them', text: '{"metadata":{"name":"n","managedFields":[]}}' },
    { rule: 'with them in a label', text: '{"metadata":{"labels":{"managedFields":[1],"a":"b"},"name":"n"}}' },
    { rule: 'that is cut off', text: '{"metadata":{"managedFields":[{"a":' },
    { rule: 'that is none', text: 'not JSON' },
  ])('stays as it is $rule', ({ text }) => {
    expect(withoutManagedFields(text)).toBe(text);
  });

  test('keeps who wrote the spec last, and when, if it is asked to', () => {
    const time = '2027-01-01T00:00:00Z';
    const managedFields = [
      { manager: 'a "b" \\ [', operation: 'Apply', time, fieldsV1: { 'f:spec': { 'k:{"type":"["}': {} } } },
      { manager: 'of-metadata', operation: 'Update', time, fieldsV1: { 'f:metadata': {} } },
      { manager: 'of-status', operation: 'Update', time, subresource: 'status', fieldsV1: { 'f:spec': {} } },
    ];
    const text = withSpecWrites(JSON.stringify({ type: 'ADDED', object: object({ managedFields, name: 'n' }) }));
    const specWrites = [{ manager: 'a "b" \\ [', time }];
    expect(parseJson(text)).toEqual({ type: 'ADDED', object: object({ specWrites, name: 'n' }) });
  });
});
