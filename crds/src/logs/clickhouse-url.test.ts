import { expect, test } from 'vitest';
import { parseClickHouseUrl } from './clickhouse-url.ts';

test('the URL names the server and the account', () => {
  expect(parseClickHouseUrl('https://ada:p%40ss@logs.example:8443')).toEqual({
    ok: true,
    value: { url: 'https://logs.example:8443', username: 'ada', password: 'p@ss' },
  });
  expect(parseClickHouseUrl('http://clickhouse.logs.svc:8123/')).toMatchObject({
    value: { url: 'http://clickhouse.logs.svc:8123', username: 'default', password: '' },
  });
});

test.for([
  'secret',
  'tcp://ada:secret@logs.example',
  'http://logs.example/secret',
  'http://logs.example/?password=secret',
  'http://sec%ret@logs.example',
])('is refused without being repeated: %s', (url) => {
  const parsed = parseClickHouseUrl(url);
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed)).not.toContain('secret');
});
