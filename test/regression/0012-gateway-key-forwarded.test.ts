/** The gateway key went to the provider when `authorization` was forwarded; configs could forward metadata headers. */
import { expect, test } from 'vitest';
import { lastRequest, startWorld } from '../kit/gateway.ts';
import { config, KEY } from '../kit/snapshot.ts';

const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

test('neither forwarding nor the proxy mode shows the gateway key to a provider', async () => {
  await using world = await startWorld({
    entries: () => [config('forwarding', { provider: '@openai', forward_headers: ['Authorization', 'x-api-key'] })],
  });
  const bearer = { 'x-gw-api-key': '', authorization: `Bearer ${KEY}` };
  const cases = [
    { path: '/v1/chat/completions', headers: { ...bearer, 'x-gw-config': 'forwarding' } },
    {
      path: '/v1/chat/completions',
      headers: { ...bearer, 'x-gw-provider': '@openai', 'x-gw-forward-headers': 'authorization' },
    },
    { path: '/v1/echo', headers: { ...bearer, 'x-gw-config': 'forwarding' } },
    { path: '/v1/echo', headers: { authorization: `Bearer ${KEY}`, 'x-api-key': KEY, 'x-gw-provider': '@openai' } },
    { path: '/v1/echo', headers: { authorization: KEY, 'x-api-key': KEY, 'x-gw-config': 'forwarding' } },
  ];
  for (const { path, headers } of cases) {
    expect((await world.send(path, { headers, body })).status).toBe(200);
    const received = lastRequest(world.mock);
    expect(JSON.stringify(received.headers)).not.toContain(KEY);
    expect(received.headers.authorization).toBe('Bearer sk-openai-secret');
  }
});

test('a config cannot forward what opens a metadata service', async () => {
  await using world = await startWorld();
  const document = { provider: '@openai', forward_headers: ['Metadata-Flavor', 'x-aws-ec2-metadata-token', 'x-ok'] };
  await world.send('/v1/chat/completions', {
    headers: {
      'x-gw-config': JSON.stringify(document),
      'metadata-flavor': 'Google',
      'x-aws-ec2-metadata-token': 't',
      'x-ok': '1',
    },
    body,
  });
  const { headers } = lastRequest(world.mock);
  expect(headers).toMatchObject({ 'x-ok': '1' });
  expect(headers).not.toHaveProperty('metadata-flavor');
  expect(headers).not.toHaveProperty('x-aws-ec2-metadata-token');
});
