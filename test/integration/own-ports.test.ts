/** No host that a resource or a request names leads to the gateway's own ports: docs/behaviour/hosts.md#never-reachable. */
import { describe, expect, test } from 'vitest';
import { startGateway, startMock, startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, KEY, key, provider, workspace } from '../kit/snapshot.ts';

const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';
const REFUSED = { error: { code: 'custom_host_refused' } };
/** Every call that carries the key of the tests is for `@next`. */
const forNext = [workspace(), key({ config: 'next' }), config('next', { provider: '@next' })];
const nextAt = (url: string) => [...forNext, ...provider('next', { customHost: `${url}/v1`, secret: KEY })];

/** A gateway as a pod of that fleet; its peers have the same identity and other addresses. */
const startPod = (fleet: string) => startGateway({ entries: forNext, env: { GATEHOUSE_FLEET_ID: fleet } });

describe('a call that comes back', () => {
  test('to the gateway itself is refused there, in one round', async () => {
    await using pod = await startPod('f1');
    await pod.load(...nextAt(pod.url));
    const answer = await pod.send(CHAT, { body: BODY });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { message: expect.stringContaining('comes back') } });
    const calls = pod.logs.filter(({ msg }) => msg === 'Request finished');
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  test.for([
    { rule: 'to a peer of the same fleet', fleets: ['f1', 'f1'] },
    { rule: 'through another fleet', fleets: ['f1', 'f2'] },
  ] as const)('$rule is refused', async ({ fleets: [first, second] }) => {
    await using one = await startPod(first);
    await using other = await startPod(second);
    await one.load(...nextAt(other.url));
    await other.load(...nextAt(one.url));
    expect((await one.send(CHAT, { body: BODY })).status).toBe(400);
  });

  test('differs from one that goes on to another installation', async () => {
    await using mock = { ...(await startMock()), [Symbol.asyncDispose]: () => mock.close() };
    await using central = await startPod('f2');
    await central.load(...nextAt(mock.url));
    await using team = await startPod('f1');
    await team.load(...nextAt(central.url));
    expect((await team.send(CHAT, { body: BODY })).status).toBe(200);
  });

  test('cannot hide where it was', async () => {
    await using pod = await startPod('f1');
    const [account, credential] = provider('next', {
      customHost: `${pod.url}/v1`,
      secret: KEY,
      headers: { via: '1.1 nobody', Via: '1.1 nobody' },
    });
    if (account === undefined || credential === undefined) throw new Error('no provider');
    await pod.load(...forNext, account, credential);
    expect(
      (await pod.send(CHAT, { body: BODY, headers: { 'x-gw-forward-headers': 'via', via: '1.1 nobody' } })).status,
    ).toBe(400);
  });
});

describe('the way a request went', () => {
  test('sends its mark to hosts that a client or tenant named', async () => {
    await using upstream = await startRawUpstream((reply) => reply.answer(200, '{}'));
    await using pod = await startPod('f1');
    await pod.load(...nextAt(upstream.url));
    await pod.send(CHAT, { body: BODY, headers: { via: '1.1 proxy, 1.1 gatehouse-elsewhere' } });
    const [first] = upstream.requests;
    expect(first?.headers.get('via')).toBe('1.1 gatehouse-elsewhere, 1.1 gatehouse-f1');
    expect(first?.lines.filter((line) => /^x-gw-/i.test(line))).toEqual([]);
  });
});

describe('the admin port', () => {
  test.for(['/metrics', '/livez', '/internal/status'])('answers no gateway: %s', async (path) => {
    await using victim = await startPod('f2');
    await using pod = await startPod('f1');
    await pod.load(...forNext, ...provider('next', { customHost: victim.adminUrl }));
    const answer = await pod.send(`/v1${path}`, { headers: { 'x-gw-provider': '@next' } });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toMatch(/gatehouse_|status":"ok|snapshot/);
  });
});

describe('names and ports of the installation', () => {
  test.for([
    { rule: 'the operator', url: 'http://gatehouse-operator.gatehouse-system:8081' },
    {
      rule: 'the operator by its long name',
      url: 'https://gatehouse-operator.gatehouse-system.svc.cluster.local:9443',
    },
    { rule: 'a fleet', url: 'http://default-gateway.gatehouse-gateways.svc:8787/v1' },
    { rule: 'a pod of a fleet', url: 'http://10-0-0-7.gatehouse-gateways.pod.cluster.local:8787' },
    { rule: 'an admin port by address', url: 'http://10.0.0.7:8789' },
    { rule: 'an admin port by name', url: 'http://gateway.example:8789' },
  ])('are refused: $rule', async ({ url }) => {
    await using world = await startWorld({
      env: { NODE_ENV: 'production', GATEHOUSE_OWN_NAMESPACES: 'gatehouse-system, gatehouse-gateways' },
      entries: () => [provider('ours', { customHost: url })],
    });
    const answer = await world.send(CHAT, { body: BODY, headers: { 'x-gw-provider': '@ours' } });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject(REFUSED);
  });
});
