/** Ids of objects in buckets: one bucket and one object each, and nothing that leads elsewhere. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { S3 } from '../../../gateway/src/providers/bedrock/files/index.ts';
import { objectId, objectPath, parseObject } from '../../../gateway/src/providers/clouds/objects/index.ts';
import type { Call } from '../../../gateway/src/providers/contract.ts';
import { openSession } from './session.ts';

const callOf = (fields: Readonly<Record<string, string>>, stored: boolean): Call => ({
  ...openSession({
    ...{ provider: 'bedrock', endpoint: 'getFile', fields, strict: true, stream: false, method: 'GET', path: '/' },
    ...{ query: '', route: {}, env: {}, side_calls: [], client_request: {}, client_headers: {}, forwarded: {} },
  }).call,
  stored,
});

const stored = callOf({ aws_s3_bucket: 'files' }, true);
const guest = callOf({}, false);
const read = (text: string, call: Call) => parseObject(text, { call, rules: S3, param: 'file_id' });

const part = fc
  .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
  .filter((text) => !/[/\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text !== '.' && text !== '..' && text.isWellFormed());
const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

test('an id is that of one object, however often clients encode it', () => {
  fc.assert(
    fc.property(key, (name) => {
      const place = { bucket: 'files', key: name };
      const id = objectId(S3, place);
      for (const text of [id, encodeURIComponent(id)]) expect(read(text, stored)).toEqual(place);
    }),
  );
});

test('no id leads out of the bucket', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', '/', '%', '2', 'e', 'f', 'a', '\\') }), (name) => {
      let path: string;
      try {
        path = objectPath(read(`s3://files/${name}`, stored));
      } catch (error) {
        expect(error).toMatchObject({ code: 'PARAMETER_INVALID', param: 'file_id' });
        return;
      }
      expect(new URL(path, 'http://h').pathname).toMatch(/^\/files\/[^/]/);
      expect(new URL(path, 'http://h').pathname.split('/')).toHaveLength(name.split('/').length + 2);
    }),
  );
});

describe('a bucket', () => {
  test('is that of the stored account', () => {
    expect(() => read('s3://other/x', stored)).toThrow(expect.objectContaining({ code: 'ACCOUNT_SETTING_REFUSED' }));
    expect(() => read('s3://files/x', callOf({}, true))).toThrow(
      expect.objectContaining({ code: 'PROVIDER_FIELD_MISSING' }),
    );
    expect(read('s3://other/x', guest)).toEqual({ bucket: 'other', key: 'x' });
  });

  test.for(['', 'a', 'A-bucket', 'a/../b', '.a.b', 'a..b', 'a b', 'a?b', 'a@b', 'a%2fb', 'x'.repeat(64)])(
    'has no name like %s',
    (bucket) => {
      const refused = () => read(`s3://${bucket}/x`, guest);
      if (bucket === 'a/../b') expect(refused).toThrow();
      else expect(refused).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID' }));
    },
  );
});
