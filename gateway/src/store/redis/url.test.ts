import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { parseRedisUrl } from './url.ts';

test.for([
  { text: 'redis://cache', want: { nodes: [{ host: 'cache', port: 6379 }], database: 0 } },
  { text: 'redis://cache:6380/3', want: { nodes: [{ host: 'cache', port: 6380 }], database: 3 } },
  { text: 'redis://[::1]:6380/', want: { nodes: [{ host: '::1', port: 6380 }], database: 0 } },
  { text: 'rediss://cache', want: { nodes: [{ host: 'cache', port: 6379 }], database: 0, tls: {} } },
  { text: 'redis://app:p%40ss%2F@cache', want: { username: 'app', password: 'p@ss/' } },
  { text: 'redis://:secret@cache', want: { username: undefined, password: 'secret' } },
])('reads $text', ({ text, want }) => {
  const { password, ...rest } = unwrap(parseRedisUrl(text));
  expect({ ...rest, password: password?.reveal() }).toMatchObject(want);
});

test.for(['', 'cache:6379', 'http://cache', 'redis://', 'redis:///0', 'redis://cache/zero', 'redis://:%zz@cache'])(
  'refuses "%s"',
  (text) => {
    expect(parseRedisUrl(text).ok).toBe(false);
  },
);

test('does not show the password, neither in a value nor in an error', () => {
  expect(JSON.stringify(parseRedisUrl('redis://:secret@cache'))).not.toContain('secret');
  expect(JSON.stringify(parseRedisUrl('http://:secret@cache'))).not.toContain('secret');
});
