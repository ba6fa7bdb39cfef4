/** What a workspace's own resource names leads to public addresses and to Services of its namespace, not to its neighbours. */
import type { ReachBody } from '@gatehouse/crds/snapshot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, key, provider, workspace } from '../../kit/snapshot.ts';

let inside: RawUpstream;
let neighbour: RawUpstream;
let gateway: RunningGateway;

const NOTHING: ReachBody = { allowed: [], services: [] };
const HOST = 'vllm.team-a.svc';
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
const ANSWER = JSON.stringify({ id: 'a', object: 'chat.completion', choices: [], usage: { total_tokens: 1 } });

beforeAll(async () => {
  const answer = () => startRawUpstream((reply) => reply.answer(200, ANSWER, { 'content-type': 'application/json' }));
  [inside, neighbour] = await Promise.all([answer(), answer()]);
  const pod = inside.url.replace('http://', '');
  const services = [{ host: HOST, port: 8000, endpoints: [pod] }];
  const account = (slug: string, customHost: string, reach?: ReachBody) =>
    provider(slug, { customHost, ...(reach && { reach }) });
  gateway = await startGateway({
    env: { NODE_ENV: 'production' },
    entries: [
      workspace(),
      key(),
      ...account('service', `http://${HOST}:8000/v1`, { allowed: [], services }),
      ...account('other-port', `http://${HOST}:8001/v1`, { allowed: [], services }),
      ...account('empty', `http://${HOST}:8000/v1`, {
        allowed: [],
        services: [{ host: HOST, port: 8000, endpoints: [] }],
      }),
      ...account('neighbour', `${neighbour.url}/v1`, NOTHING),
      ...account('by-name', `http://localhost:${new URL(neighbour.url).port}/v1`, NOTHING),
      ...account('opened', `${neighbour.url}/v1`, { allowed: ['127.0.0.1'], services: [] }),
      ...account('organisations', `${neighbour.url}/v1`),
      config(
        'saved',
        { provider: 'openai', custom_host: `http://${HOST}:8000/v1` },
        { reach: { allowed: [], services } },
      ),
      config('away', { provider: 'openai', custom_host: `${neighbour.url}/v1` }, { reach: NOTHING }),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([inside, neighbour].map((upstream) => upstream[Symbol.asyncDispose]()));
});

const ask = (headers: Readonly<Record<string, string>>) =>
  gateway.send('/v1/chat/completions', { method: 'POST', body: CHAT, headers });

describe('a host that a resource of a workspace names', () => {
  test.for([
    { rule: 'an account', headers: { 'x-gw-provider': '@service' } },
    { rule: 'a saved config', headers: { 'x-gw-config': 'saved' } },
  ])('in $rule is called at the pods of its Service, under its own name', async ({ headers }) => {
    const before = inside.requests.length;
    expect((await ask(headers)).status).toBe(200);
    expect(inside.requests.length).toBe(before + 1);
    expect(inside.requests.at(-1)?.headers.get('host')).toBe(`${HOST}:8000`);
  });

  test.for([
    { rule: 'a private address', headers: { 'x-gw-provider': '@neighbour' } },
    { rule: 'a name of a private address', headers: { 'x-gw-provider': '@by-name' } },
    { rule: 'a private address in a saved config', headers: { 'x-gw-config': 'away' } },
    { rule: 'a port its Service does not have', headers: { 'x-gw-provider': '@other-port' } },
    { rule: 'a Service without pods', headers: { 'x-gw-provider': '@empty' } },
  ])('does not lead to $rule', async ({ headers }) => {
    const before = neighbour.requests.length;
    expect((await ask(headers)).status).toBeGreaterThanOrEqual(500);
    expect(neighbour.requests.length).toBe(before);
  });

  test.for(['opened', 'organisations'])('leads there where the organisation allows it: %s', async (slug) => {
    expect((await ask({ 'x-gw-provider': `@${slug}` })).status).toBe(200);
  });
});
