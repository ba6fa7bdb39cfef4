import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../lib/cancellation.ts';
import type { Authorizer, OutgoingRequest } from '../contract.ts';
import { bearer, createFields } from '../engine/index.ts';
import { sampleCall, sampleProvider, sampleServices } from '../engine/testing.ts';
import { awsSigV4 } from './aws/index.ts';
import { azureAuth } from './azure/index.ts';
import { gcpOAuth } from './gcp/index.ts';

describe('the identity of the gateway', () => {
  test.for<[provider: string, auth: Authorizer, fields: Record<string, string>]>([
    ['azure-openai', azureAuth({ apiKey: bearer() }), { azure_auth_mode: 'managed' }],
    ['azure-openai', azureAuth({ apiKey: bearer() }), { azure_auth_mode: 'workload' }],
    ['vertex-ai', gcpOAuth(), { vertex_auth_type: 'workload' }],
    ['bedrock', awsSigV4({ service: 'bedrock' }), { aws_auth_type: 'serviceRole' }],
    [
      'bedrock',
      awsSigV4({ service: 'bedrock' }),
      { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/r' },
    ],
  ])('is not used by %s for a call that it was not lent to', async ([id, auth, fields]) => {
    const provider = sampleProvider({ id });
    const call = sampleCall({ provider: id, fields: createFields(provider, new Map(Object.entries(fields))) });
    const services = sampleServices({
      env: (name) => (name === 'GCP_AUTH_MODE' ? 'workload' : undefined),
      fetch: () => {
        throw new Error('no token may be asked for');
      },
    });
    const request: OutgoingRequest = { method: 'POST', origin: 'https://x', path: '/', headers: {}, body: undefined };
    const apply = async () =>
      auth.apply(request, call, {
        services,
        signal: new Cancellation(),
        customHost: true,
      });
    await expect(apply()).rejects.toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
    expect(request.headers).toEqual({});
  });
});
