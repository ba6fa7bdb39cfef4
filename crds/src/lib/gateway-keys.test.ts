import { expect, test } from 'vitest';
import { pathWithoutGatewayKeys, withoutGatewayKeys } from './gateway-keys.ts';

const KEY = 'gwk_Ab-9_zzzzzzzzzzzzzzzz';

test.for<[given: string, want: string]>([
  ['plain', 'plain'],
  ['gwk_short', 'gwk_short'],
  [`${KEY}, ${KEY}`, '[redacted], [redacted]'],
  [JSON.stringify({ [KEY]: `is ${KEY}` }), '{"[redacted]":"is [redacted]"}'],
])('%s without keys is %s', ([given, want]) => {
  expect(withoutGatewayKeys(given)).toBe(want);
});

test.for<[given: string, want: string]>([
  ['/a/b%20c', '/a/b%20c'],
  [`/a/${KEY}/c%20d`, '/a/[redacted]/c%20d'],
  [`/a/${KEY.replaceAll('_', '%5f')}/c%20d`, '/a/[redacted]/c d'],
  [`/a/%67wk_${KEY.slice(4).replace('A', '%41')}`, '/a/[redacted]'],
  ['/a/%zz%', '/a/%zz%'],
])('%s as a path is %s', ([given, want]) => {
  expect(pathWithoutGatewayKeys(given)).toBe(want);
});
