import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter } from './filter.ts';

describe('a filter', () => {
  test.for([
    { text: 'userName eq "Ada"', want: [{ attribute: 'username', value: 'Ada' }] },
    { text: '  USERNAME EQ "a b"  ', want: [{ attribute: 'username', value: 'a b' }] },
    { text: 'externalId eq "a\\"b"', want: [{ attribute: 'externalid', value: 'a"b' }] },
    { text: 'active eq True', want: [{ attribute: 'active', value: true }] },
    { text: 'externalId eq null', want: [{ attribute: 'externalid', value: null }] },
    { text: 'x eq -1.5', want: [{ attribute: 'x', value: -1.5 }] },
    {
      text: 'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"',
      want: [{ attribute: 'username', value: 'ada' }],
    },
    {
      text: 'emails[type eq "work"].value eq "ada@example.com"',
      want: [{ attribute: 'emails[type eq "work"].value', value: 'ada@example.com' }],
    },
    {
      text: 'id eq "1" and members eq "2"',
      want: [
        { attribute: 'id', value: '1' },
        { attribute: 'members', value: '2' },
      ],
    },
  ])('$text', ({ text, want }) => {
    expect(parseFilter(text)).toEqual({ ok: true, value: want });
  });

  test.for([
    { text: '', why: 'expected: attribute eq' },
    { text: 'userName', why: 'expected: attribute eq' },
    { text: 'userName co "a"', why: 'the operator co is not served' },
    { text: 'userName pr', why: 'the operator pr is not served' },
    { text: 'userName eq', why: 'expected a value' },
    { text: 'userName eq ada', why: 'expected a value' },
    { text: 'userName eq "a', why: 'expected a value' },
    { text: 'userName eq "\\x"', why: 'expected a value' },
    { text: 'a eq "1" or b eq "2"', why: 'joined by and' },
    { text: 'a eq "1" and', why: 'joined by and' },
    { text: '(a eq "1")', why: 'expected: attribute eq' },
  ])('$text is refused', ({ text, why }) => {
    expect(parseFilter(text)).toMatchObject({ ok: false, error: expect.stringContaining(why) });
  });

  test('gives every text back that it quotes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (values) => {
        const text = values.map((value) => `displayName eq ${JSON.stringify(value)}`).join(' and ');
        const want = values.map((value) => ({ attribute: 'displayname', value }));
        expect(parseFilter(text)).toEqual({ ok: true, value: want });
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab[]."\\ eq and or null()'.split('')) }), (text) => {
        expect(typeof parseFilter(text).ok).toBe('boolean');
      }),
    );
  });
});
