import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorFields } from '../contract.ts';
import { readErrorShape, withProviderPrefix } from './error-shapes.ts';

const NOTHING = { type: null, param: null, code: null };

describe('the shape of an error', () => {
  test.for<[dialect: string, body: unknown, want: Partial<ErrorFields> & { message: string }]>([
    [
      'openai',
      { error: { message: 'm', type: 't', param: 'p', code: 'c' } },
      { message: 'm', type: 't', param: 'p', code: 'c' },
    ],
    [
      'flat',
      { object: 'error', message: 'm', type: 't', param: null, code: 40001 },
      { message: 'm', type: 't', code: '40001' },
    ],
    ['fastapi text', { detail: 'm' }, { message: 'm' }],
    [
      'fastapi list',
      { detail: [{ loc: ['body', 'n', 0], msg: 'bad', type: 'value_error' }, { msg: 'second' }] },
      { message: 'body.n.0: bad', type: 'value_error' },
    ],
    [
      'fastapi with odd places',
      { detail: [{ loc: ['body', { toString: 0 }, 0], msg: 'bad' }] },
      { message: 'body..0: bad' },
    ],
    ['odd errors', { errors: [[{ toString: 0 }], 'm'] }, { message: '[{"toString":0}], m' }],
    ['fastapi without a place', { detail: [{ msg: 'bad' }] }, { message: 'bad' }],
    ['any detail', { detail: { a: 1 } }, { message: '{"a":1}' }],
    ['string-error', { error: 'm', error_type: 'overloaded' }, { message: 'm', type: 'overloaded' }],
    [
      'anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'm' } },
      { message: 'm', type: 'overloaded_error' },
    ],
    [
      'google',
      { error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT' } },
      { message: 'm', type: 'INVALID_ARGUMENT', code: '400' },
    ],
    [
      'google in a list',
      [{ error: { code: 429, message: 'm', status: 'S' } }],
      { message: 'm', type: 'S', code: '429' },
    ],
    ['aws', { __type: 'com.amazon#ThrottlingException', Message: 'm' }, { message: 'm', type: 'ThrottlingException' }],
    ['cohere', { id: 'x', message: 'm', data: {} }, { message: 'm' }],
    [
      'cloudflare',
      { success: false, errors: [{ code: 7, message: 'a' }, { message: 'b' }] },
      { message: 'Error 7:a, Error unknown:b' },
    ],
    ['oci', { code: '404', message: 'm' }, { message: 'm', type: '404', code: '404' }],
    ['perplexity', { error: { message: 'm', type: 't', code: 400 } }, { message: 'm', type: 't', code: '400' }],
    ['xai', { error: 'm', code: 'c' }, { message: 'm', code: 'c' }],
    ['fireworks', { fault: { faultstring: 'm', detail: { errorcode: 'e' } } }, { message: 'm', code: 'e' }],
    ['fireworks without text', { fault: { a: 1 } }, { message: '{"a":1}' }],
    ['stability 1', { id: 'i', name: 'n', message: 'm' }, { message: 'm', type: 'n' }],
    ['stability 2', { id: 'i', name: 'n', errors: ['a', 'b'] }, { message: 'a, b', type: 'n', param: 'i' }],
    ['an error without text', { error: { metadata: 1 } }, { message: '{"metadata":1}' }],
  ])('%s', ([, body, want]) => {
    expect(readErrorShape(body)).toEqual({ ...NOTHING, ...want });
  });

  test.for([[null], ['text'], [7], [{}], [[]], [{ error: null }], [{ error: '' }], [{ errors: [] }], [{ message: 5 }]])(
    'is none of these: %j',
    ([body]) => {
      expect(readErrorShape(body)).toBeUndefined();
    },
  );

  test('is looked for in any value without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const fields = readErrorShape(body);
        if (fields !== undefined) expect(typeof fields.message).toBe('string');
      }),
    );
  });
});

test('the prefix is put there once', () => {
  const once = withProviderPrefix('acme', { ...NOTHING, message: 'm' });
  expect(once.message).toBe('acme error: m');
  expect(withProviderPrefix('acme', once)).toEqual(once);
});
