/** Realtime sessions that a sidecar passes on to its fleet: docs/behaviour/sidecars.md. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { lastRequest, type RunningGateway } from '../kit/gateway.ts';
import { connectRealtime, type RealtimeClient } from '../kit/realtime-provider.ts';
import { FLEET_TLS, type SidecarWorld, startSidecarWorld, type WorkspaceLimits } from '../kit/sidecar-world.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: SidecarWorld;

beforeAll(async () => {
  world = await startSidecarWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** As an application does whose SDK was given the placeholder. */
const PLACEHOLDER = { 'x-gw-api-key': '', authorization: 'Bearer provided-by-gatehouse' };

async function connect(
  gateway: Pick<RunningGateway, 'url'>,
  model = '@shared/gpt-realtime',
  more: { readonly headers?: Readonly<Record<string, string>>; readonly protocols?: readonly string[] } = {},
): Promise<RealtimeClient> {
  const headers = { ...PLACEHOLDER, ...more.headers };
  const client = await connectRealtime(gateway.url, { ...more, headers, query: `model=${model}` });
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

const typesOf = (client: RealtimeClient) => client.events().map(({ type }) => type);
const saw = (client: RealtimeClient, type: string) =>
  waitFor(() => typesOf(client).includes(type), { what: `an event ${type}` });

async function open(limits: WorkspaceLimits = {}, env: Readonly<Record<string, string>> = FLEET_TLS) {
  const fleet = await world.startFleet(limits, { env });
  const sidecar = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits });
  onTestFinished(async () => {
    await sidecar[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });
  return { fleet, sidecar };
}

test('reach the provider with the credential of the organisation, which the pod never has', async () => {
  const { fleet, sidecar } = await open();
  const client = await connect(sidecar, undefined, {
    headers: { 'x-gw-trace-id': 'a-session' },
    protocols: ['realtime'],
  });
  await saw(client, 'session.created');
  expect(client.socket.protocol).toBe('realtime');
  const { headers, search } = lastRequest(fleet.mock);
  expect(search).toBe('?model=gpt-realtime');
  expect(headers.authorization).toBe('Bearer sk-organisation');
  expect(JSON.stringify(headers)).not.toContain('provided-by-gatehouse');
  client.socket.send(JSON.stringify({ type: 'response.create' }));
  await saw(client, 'response.done');
});

test('are counted and recorded once, by the fleet', async () => {
  const { fleet, sidecar } = await open();
  const client = await connect(sidecar);
  client.socket.send(JSON.stringify({ type: 'response.create' }));
  await saw(client, 'response.done');
  const recorded = ({ logs }: RunningGateway) =>
    logs.filter(({ msg, operation }) => msg === 'Request finished' && operation === 'realtime');
  await waitFor(() => recorded(fleet).some(({ tokens }) => tokens !== undefined), { what: 'the tokens at the fleet' });
  expect(recorded(sidecar)).toEqual([]);
});

test('stop at the limits of the workspace, with the answer of the fleet', async () => {
  const { sidecar } = await open({ rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] });
  await connect(sidecar);
  await expect(connect(sidecar)).rejects.toMatchObject({ status: 429, text: expect.stringContaining('rate_limit') });
});

test('close as either end does', async () => {
  const { fleet, sidecar } = await open();
  const client = await connect(sidecar);
  await saw(client, 'session.created');
  client.socket.close(4321, 'done here');
  await waitFor(() => client.closed !== undefined, { what: 'the close of the client' });
  expect(client.closed).toEqual({ code: 4321, reason: 'done here' });
  for (const gateway of [sidecar, fleet]) {
    await waitFor(async () => (await gateway.metric('gatehouse_requests_in_flight')) === 0, {
      what: 'nothing in flight',
    });
  }
});

test('of the own accounts of the pod do not go through the fleet', async () => {
  const { fleet, sidecar } = await open();
  const client = await connect(sidecar, '@local/mock-small');
  await saw(client, 'session.created');
  expect(fleet.mock.requests).toEqual([]);
});

test('are 503 while the fleet is away', async () => {
  const sidecar = await world.startSidecar({ pod: 'web-0', url: 'https://127.0.0.1:1', limits: {} });
  onTestFinished(() => sidecar[Symbol.asyncDispose]());
  await expect(connect(sidecar)).rejects.toMatchObject({ status: 503, text: expect.stringContaining('fleet') });
});

test('are refused where a gateway has passed them on already', async () => {
  const { sidecar } = await open();
  const headers = { via: '1.1 gatehouse-other' };
  const refused = { status: 501, text: expect.stringContaining('needs_fleet') };
  await expect(connect(sidecar, undefined, { headers })).rejects.toMatchObject(refused);
});

test('over WebRTC are opened by the fleet with the offer as it came', async () => {
  const { fleet, sidecar } = await open();
  const sdp = 'v=0\r\ns=-\r\n';
  for (const [type, body] of [
    ['application/sdp', sdp],
    ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="sdp"\r\n\r\n${sdp}\r\n--x--\r\n`],
  ] as const) {
    const answer = await sidecar.send('/v1/realtime/calls?model=@shared/gpt-realtime', {
      headers: { ...PLACEHOLDER, 'content-type': type },
      body,
    });
    expect([answer.status, answer.headers.location], answer.text).toEqual([
      201,
      expect.stringMatching(/^\/v1\/realtime\/calls\/rtc_/),
    ]);
    const { headers, body: sent } = lastRequest(fleet.mock);
    expect(headers.authorization).toBe('Bearer sk-organisation');
    expect(sent.toString()).toContain('{"type":"realtime","model":"gpt-realtime"}');
  }
});
