import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CacheKeyParts, cacheKey } from './key.ts';

const parts = (over: Partial<CacheKeyParts> = {}): CacheKeyParts => ({
  organisation: 'acme',
  workspace: 'search',
  url: 'https://api.openai.com/v1/chat/completions',
  body: Buffer.from('{"model":"m"}'),
  target: 't',
  strict: true,
  headers: new Map(),
  namespace: undefined,
  metadata: undefined,
  ...over,
});

describe('the key of an answer', () => {
  test('is a SHA-256 and stays the same between versions', () => {
    expect(cacheKey(parts())).toMatch(/^OUTPUT_[0-9a-f]{64}$/);
    expect(cacheKey(parts())).toBe(cacheKey(parts()));
  });

  test.for<{ rule: string; a?: Partial<CacheKeyParts>; b: Partial<CacheKeyParts>; same?: true }>([
    { rule: 'keeps workspaces apart', b: { workspace: 'ads' } },
    { rule: 'keeps organisations apart', b: { organisation: 'other' } },
    { rule: 'depends on the URL', b: { url: 'https://api.openai.com/v1/completions' } },
    { rule: 'depends on each byte of the body', b: { body: Buffer.from('{"model": "m"}') } },
    { rule: 'depends on the target', b: { target: 'u' } },
    { rule: 'depends on the fields the client accepts', b: { strict: false } },
    { rule: 'depends on headers', b: { headers: new Map([['a', '1']]) } },
    {
      rule: 'depends on the value of a header',
      a: { headers: new Map([['a', '1']]) },
      b: { headers: new Map([['a', '2']]) },
    },
    {
      rule: 'ignores the order of headers',
      a: {
        headers: new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
      },
      b: {
        headers: new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      },
      same: true,
    },
    { rule: 'depends on the metadata text', b: { metadata: '{"user":"a"}' } },
    { rule: 'distinguishes no metadata from empty metadata', b: { metadata: '' } },
    {
      rule: 'ignores the metadata when there is a namespace',
      a: { namespace: 'n', metadata: '{"user":"a"}' },
      b: { namespace: 'n', metadata: '{"user":"b"}' },
      same: true,
    },
    { rule: 'keeps namespaces apart', a: { namespace: 'n' }, b: { namespace: 'm' } },
    { rule: 'distinguishes a namespace from metadata of the same text', a: { namespace: 'n' }, b: { metadata: 'n' } },
    { rule: 'counts an empty namespace as one', a: { namespace: '', metadata: 'x' }, b: { metadata: 'x' } },
    {
      rule: 'does not let one part run into the next',
      a: { organisation: 'ab', workspace: 'c' },
      b: { organisation: 'a', workspace: 'bc' },
    },
  ])('$rule', ({ a = {}, b, same }) => {
    expect(cacheKey(parts(a)) === cacheKey(parts(b))).toBe(same === true);
  });

  test('is the same only for the same parts', () => {
    const some = fc.record({
      organisation: fc.string({ maxLength: 3 }),
      workspace: fc.string({ maxLength: 3 }),
      url: fc.string({ maxLength: 3 }),
      body: fc.string({ maxLength: 3 }).map((text) => Buffer.from(text)),
      target: fc.string({ maxLength: 3 }),
      strict: fc.boolean(),
      headers: fc.constant(new Map()),
      namespace: fc.constant(undefined),
      metadata: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(some, some, (a, b) => {
        expect(cacheKey(a) === cacheKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});
