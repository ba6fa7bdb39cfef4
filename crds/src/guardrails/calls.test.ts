import { describe, expect, test } from 'vitest';
import { forwardHeaders, timeout } from './calls.ts';

describe('forwarded headers', () => {
  test.for(['traceparent', 'x-request-id', 'x-gw-trace-id', 'x-gw-span-id', 'user-agent'])('may be %s', (name) => {
    expect(forwardHeaders.safeParse([name]).success).toBe(true);
  });

  test.for([
    ...['authorization', 'x-api-key', 'ocp-apim-subscription-key', 'proxy-authorization', 'cookie', 'metadata-flavor'],
    ...['x-aws-ec2-metadata-token', 'x-gw-api-key', 'x-gw-config', 'host', 'connection', 'transfer-encoding'],
    ...['content-length', 'content-type', 'x-*', '*', 'X-Request-Id', 'x_request_id', 'x request', ''],
  ])('are never %j', (name) => {
    expect(forwardHeaders.safeParse([name]).success).toBe(false);
  });

  test('are a bounded list', () => {
    const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `x-${i}`);
    expect([32, 33].map((count) => forwardHeaders.safeParse(names(count)).success)).toEqual([true, false]);
  });
});

test.for([
  { given: undefined, want: 5_000 },
  { given: 1, want: 1 },
  { given: 60_000, want: 60_000 },
  { given: 0, want: undefined },
  { given: 60_001, want: undefined },
  { given: 1.5, want: undefined },
])('a time limit of $given ms is $want ms', ({ given, want }) => {
  expect(timeout(5_000).safeParse(given).data).toBe(want);
});
