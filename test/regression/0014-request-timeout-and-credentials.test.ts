/** Fetching a credential was not covered by the request timeout: a token endpoint that hangs held the request for minutes. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { provider } from '../kit/snapshot.ts';

test('the request timeout covers a token endpoint that hangs', async () => {
  await using sts = await startRawUpstream(() => {}); // never answers
  await using world = await startWorld({
    env: {
      AZURE_AUTHORITY_HOST: `${sts.url}/`,
      AZURE_TENANT_ID: 'tenant',
      AZURE_CLIENT_ID: 'client',
      AZURE_FEDERATED_TOKEN_FILE: 'assertion',
    },
    entries: ({ url }) => [
      provider('azure', {
        provider: 'azure-openai',
        customHost: url,
        settings: { resource_name: 'r', deployment_id: 'd', api_version: 'v1', azure_auth_mode: 'workload' },
        secret: {},
        workspace: null,
        grants: ['team-a'],
      }),
    ],
  });
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@azure', 'x-gw-request-timeout': '1000' },
    body: { model: 'm', messages: [] },
  });
  expect(sts.requests).toHaveLength(1);
  expect(answer.status).toBe(408);
  expect(answer.json()).toMatchObject({ error: { type: 'timeout_error' } });
});
