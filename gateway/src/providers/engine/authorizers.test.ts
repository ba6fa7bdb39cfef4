import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../lib/cancellation.ts';
import type { Authorizer, OutgoingRequest } from '../contract.ts';
import { apiKeyHeader, bearer, noAuth } from './authorizers.ts';
import { createFields } from './fields.ts';
import { sampleCall, sampleProvider, sampleServices } from './testing.ts';

interface Given {
  readonly key?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly customHost?: boolean;
}

async function authorize(
  authorizer: Authorizer,
  { key, path = '/p', headers = {}, customHost = false }: Given,
): Promise<OutgoingRequest> {
  const fields = createFields(sampleProvider(), new Map(key === undefined ? [] : [['api_key', key]]));
  const request: OutgoingRequest = {
    method: 'POST',
    origin: 'https://x',
    path,
    headers: { ...headers },
    body: undefined,
  };
  const context = { services: sampleServices(), signal: new Cancellation(), customHost };
  await authorizer.apply(request, sampleCall({ fields }), context);
  return request;
}

describe('an authorizer', () => {
  test.for<[rule: string, authorizer: Authorizer, given: Given, want: Partial<OutgoingRequest>]>([
    ['sends a bearer token', bearer(), { key: 'K' }, { headers: { authorization: 'Bearer K' } }],
    ['sends a header', apiKeyHeader('x-api-key'), { key: 'K' }, { headers: { 'x-api-key': 'K' } }],
    ['sends a header with a prefix', apiKeyHeader('a', { prefix: 'Key ' }), { key: 'K' }, { headers: { a: 'Key K' } }],
    ['may have no key', bearer({ optional: true }), {}, { headers: {} }],
    [
      'needs no key where a header was forwarded',
      bearer(),
      { headers: { authorization: 'F' } },
      { headers: { authorization: 'F' } },
    ],
    ['needs no key on a host of its own', bearer(), { customHost: true }, { headers: {} }],
    ['does nothing', noAuth(), { key: 'K' }, { path: '/p', headers: {} }],
  ])('%s', async ([, authorizer, given, want]) => {
    expect(await authorize(authorizer, given)).toMatchObject(want);
    const { headers } = await authorize(authorizer, given);
    if (want.headers !== undefined) expect(headers).toEqual(want.headers);
  });

  test.for([
    ['bearer', bearer()],
    ['header', apiKeyHeader('x-api-key')],
  ] as const)('names the field when there is no key: %s', async ([, authorizer]) => {
    await expect(authorize(authorizer, {})).rejects.toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param: 'api_key' });
  });
});
