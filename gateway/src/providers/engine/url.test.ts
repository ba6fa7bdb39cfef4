import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostText, pathSegment, pathText, splitBase } from './url.ts';

describe('a base URL', () => {
  test.for([
    ['https://api.example.com', { origin: 'https://api.example.com', prefix: '' }],
    ['https://api.example.com/v1/', { origin: 'https://api.example.com', prefix: '/v1' }],
    ['http://127.0.0.1:8080/a/b//', { origin: 'http://127.0.0.1:8080', prefix: '/a/b' }],
    ['https://API.example.com:443/v1', { origin: 'https://api.example.com', prefix: '/v1' }],
    ['http://[::1]:8000/v1', { origin: 'http://[::1]:8000', prefix: '/v1' }],
    ['not a url', undefined],
    ['mailto:a@b.example', undefined],
  ] as const)('%s is taken apart', ([url, want]) => {
    expect(splitBase(url)).toEqual(want);
  });
});

describe('values in a path', () => {
  test.for([
    ['org/model:7b', 'org/model:7b'],
    ['@cf/meta/llama-3', '@cf/meta/llama-3'],
    ['already%2Fencoded', 'already%2Fencoded'],
    ['a b', 'a%20b'],
    ['a?b=1#c', 'a%3Fb=1%23c'],
    ['ünï', '%C3%BCn%C3%AF'],
    ['a\r\nb', 'a%0D%0Ab'],
  ] as const)('%j becomes %j', ([value, want]) => {
    expect(pathText(value, 'model')).toBe(want);
  });

  test('as one segment keep no slash', () => {
    expect(pathSegment('anthropic.claude/v2:0', 'model')).toBe('anthropic.claude%2Fv2%3A0');
  });

  test.for(['..', '.', 'a/../b', '../a', 'a/..', '%2e%2E/a', 'a/.%2e', '..?x', '..#x', '\ud800 '])(
    '%j are refused',
    (value) => {
      expect(() => pathText(value, 'model')).toThrow(
        expect.objectContaining({ code: 'PARAMETER_INVALID', param: 'model' }),
      );
    },
  );

  test.for(['...', 'a..b', '.hidden', 'v1.5/x'])('%j are fine', (value) => {
    expect(pathText(value, 'model')).toBe(value);
  });

  test('never end the path, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const text = safely(() => pathText(value, 'model'));
        if (text !== undefined) expect(text).not.toMatch(/[?#\s]/);
      }),
    );
  });
});

describe('values in a host', () => {
  test.for(['my-resource', 'acct_1.eu', 'A1'])('%s is a name', (value) => {
    expect(hostText(value, 'resource_name')).toBe(value);
  });

  test.for(['evil.example/', 'a@b', 'a:1', 'a b', 'a#', 'a?', 'a\\b', ''])('%j could move the request', (value) => {
    expect(() => hostText(value, 'resource_name')).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID' }));
  });
});

function safely<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
