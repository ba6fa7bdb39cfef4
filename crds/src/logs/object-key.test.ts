import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ORGANISATION_ID, objectKey, PATH_FORMATS, pathFormatOf } from './object-key.ts';

const row = { id: '0b7e1d2c-0000-4000-8000-000000000001', created_at: Date.UTC(2027, 0, 2, 3, 4), workspace: 'team-a' };

test.for([
  { format: 'v1', key: `30/${ORGANISATION_ID}/${row.id}.json` },
  { format: 'v2', key: `30/${ORGANISATION_ID}/team-a/2027/01/02/03/${row.id}.json` },
] as const)('the path of $format', ({ format, key }) => {
  expect(objectKey(row, { format, retentionDays: 30 })).toBe(key);
  expect(pathFormatOf(key)).toBe(format);
});

test('documents of the database have no path', () => {
  expect([pathFormatOf('none'), pathFormatOf('database')]).toEqual([undefined, undefined]);
});

test('no name leads out of its folder', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('..', '../../etc', '/', '.', '', 'a'.repeat(999)),
  );
  fc.assert(
    fc.property(name, name, fc.constantFrom(...PATH_FORMATS), (id, workspace, format) => {
      const key = objectKey({ ...row, id, workspace }, { format, retentionDays: 0 });
      expect(key).toMatch(/^0\/[\w-]+(?:\/[\w-]{1,128})*\/[\w-]{1,128}\.json$/);
      expect(pathFormatOf(key)).toBe(format);
    }),
  );
});
