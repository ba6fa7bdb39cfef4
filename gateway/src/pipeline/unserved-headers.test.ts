import { fakeRequest } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { refuseUnservedHeaders } from './unserved-headers.ts';

describe('a header whose feature is not served', () => {
  test.for([
    { 'x-gw-beta': 'server-side-mcp-2026-06-01' },
    { 'x-gw-beta': 'anything, Use-Responses-API-2026-07-30' },
    { 'x-gw-vertex-skip-ptu-cost-attribution': 'true' },
    { 'x-gw-ignore-service-log': 'True' },
  ])('is refused by name: %j', (headers) => {
    const [name = ''] = Object.keys(headers);
    expect(() => refuseUnservedHeaders(fakeRequest({ headers }))).toThrow(
      expect.objectContaining({ code: 'FEATURE_UNSUPPORTED', param: name, message: expect.stringContaining(name) }),
    );
  });

  test.for([{}, { 'x-gw-beta': ' ' }, { 'x-gw-beta': 'anything,' }, { 'x-gw-ignore-service-log': 'false' }])(
    'passes where it asks for nothing: %j',
    (headers) => {
      expect(() => refuseUnservedHeaders(fakeRequest({ headers }))).not.toThrow();
    },
  );
});
