import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalRequestTarget, hasDotSegments } from './request-target.ts';

describe('a request target', () => {
  test.for([
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/ch%61t/completions', '/v1/chat/completions'],
    ['/v1/%7efiles?q=%7e..', '/v1/~files?q=%7e..'],
    ['/v1//chat///completions', '/v1/chat/completions'],
    ['/v1/files/a%2fb', '/v1/files/a%2Fb'],
    ['/v1/files/%e2%82%ac', '/v1/files/%E2%82%AC'],
    ['/v1/files/a..b/.hidden/...', '/v1/files/a..b/.hidden/...'],
    ['/v1/models/x:generateContent', '/v1/models/x:generateContent'],
    ['/v1/x?next=/../y', '/v1/x?next=/../y'],
    ['/', '/'],
    ['*', '*'],
  ])('%s is %s', ([given = '', want]) => {
    expect(canonicalRequestTarget(given)).toEqual({ ok: true, value: want });
  });

  test.for([
    ...['/v1/../x', '/v1/..', '/..', '/v1/./x', '/v1/%2e%2e/x', '/v1/.%2E/x', '/v1/..%2fx', '/v1/%2e%2e%2fx'],
    ...['/v1/x%2f..%2fy', '/v1/..%5cx', '/v1/x%5c..%5cy', '/v1/\\..\\x', '/v1/..;/x', '/v1/..;a=b/x', '/v1/..%3b/x'],
    ...[
      '/v1/%252e%252e/x',
      '/v1/..%252fx',
      '/v1/%25252e%25252e/x',
      '/v1/%2525252525252e/x',
      '/v1/x/..%23',
      '/v1/x#/../y',
    ],
    ...['http://host/v1/x', 'https://host', 'host:80', 'v1/x', '', '/v1/%', '/v1/%zz', '/v1/%u002e', '/v1/%c0%ae/x'],
    ...['/v1/é', '/v1/a b', '/v1/a\\b'],
  ])('%s is refused', (given) => {
    expect(canonicalRequestTarget(given).ok).toBe(false);
  });

  test('that was made canonical stays as it is', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      'v1',
      '%61',
      '%2f',
      '%C3%A9',
      '.',
      '..',
      ':',
      ';',
      '%3b',
      '\\',
      '?',
      '%25',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = canonicalRequestTarget(`/${pieces.join('')}`);
        if (!once.ok) return;
        expect(canonicalRequestTarget(once.value)).toEqual(once);
        expect(hasDotSegments(once.value.split('?', 1)[0] ?? '')).toBe(false);
      }),
    );
  });
});
