/** Pages of other origins in a real browser, with SDKs as they come from npm. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartOptions, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';
import { type Browser, type Page, startBrowser } from './chromium.ts';
import type { Action } from './page.ts';
import { bundlePage, type Site, startSite } from './site.ts';

let browser: Browser;
let program: string;
let site: Site;
let page: Page;

beforeAll(async () => {
  program = await bundlePage();
  [browser, site] = await Promise.all([startBrowser(), startSite(program)]);
  page = await openPage(site);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

const openPage = ({ origin }: Site): Promise<Page> => browser.open(origin, "typeof globalThis.run === 'function'");

const startGateway = (env: NonNullable<StartOptions['env']>): Promise<World> =>
  startWorld({
    env,
    entries: () => [config('main', { provider: '@openai' }), key({ config: 'main', allowConfigOverride: true })],
  });

/** Runs an action in a page; an error of the page is a result, too. */
const run = (on: Page, action: Action, { url }: World, asked: object = {}) =>
  on.evaluate(`run('${action}', ${JSON.stringify({ url, apiKey: KEY, ...asked })})`);

describe('with ENABLE_CORS alone, a page of any origin', () => {
  let world: World;

  beforeAll(async () => {
    world = await startGateway({ ENABLE_CORS: 'true' });
  });

  afterAll(() => world[Symbol.asyncDispose]());

  test('completes a chat and reads the headers of the answer', async () => {
    expect(await run(page, 'complete', world)).toEqual({
      text: expect.stringContaining('What is the weather in Paris?'),
      headers: expect.objectContaining({ 'x-gw-provider': 'openai', 'x-gw-trace-id': expect.any(String) }),
    });
  });

  test('sends headers of the gateway', async () => {
    const headers = { 'x-gw-trace-id': 'from-a-page', 'x-gw-metadata': '{"plan":"paid"}' };
    const answer = await run(page, 'complete', world, { headers });
    expect(answer.headers['x-gw-trace-id']).toBe('from-a-page');
  });

  test('streams', async () => {
    const { text, pieces } = await run(page, 'stream', world);
    expect(text).toContain('What is the weather in Paris?');
    expect(pieces).toBeGreaterThan(2);
  });

  test('gets the first event of a stream that goes on, and ends the call when it leaves', async () => {
    expect(await run(page, 'leaveStream', world, { model: 'mock-stall-900' })).toEqual({
      object: 'chat.completion.chunk',
    });
    await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken', { what: 'the end of the call' });
  });

  test('lists models, and checks the health', async () => {
    expect((await run(page, 'models', world)).objects).toContain('model');
    expect(await run(page, 'health', world)).toEqual({ status: 200 });
  });

  test('uses the Anthropic SDK, too', async () => {
    const headers = { 'x-gw-config': '{"provider":"@anthropic"}' };
    expect(await run(page, 'message', world, { headers })).toEqual({ types: ['text'] });
  });

  test('reads errors, also those of paths that are not served', async () => {
    expect(await run(page, 'complete', world, { apiKey: 'nope' })).toMatchObject({
      error: { status: 401, kind: 'AuthenticationError' },
    });
    expect(await run(page, 'complete', world, { url: `${world.url}/elsewhere` })).toMatchObject({
      error: { status: 404, kind: 'NotFoundError' },
    });
  });

  test('never gets an answer to a request with cookies', async () => {
    expect(await run(page, 'withCookies', world)).toMatchObject({ error: { name: 'TypeError' } });
  });
});

test('a page reads the headers of the gateway by the prefix that it used', async () => {
  await using world = await startGateway({ ENABLE_CORS: 'true', GATEHOUSE_HEADER_ALIASES: 'x-acme-' });
  const { headers } = await run(page, 'complete', world, { headers: { 'x-acme-trace-id': 'from-a-page' } });
  expect(headers).toMatchObject({ 'x-acme-trace-id': 'from-a-page', 'x-acme-provider': 'openai' });
});

test('with listed origins pages of these are served, and those of others get nothing', async () => {
  await using other = await startSite(program);
  await using world = await startGateway({
    ENABLE_CORS: 'true',
    CORS_ALLOWED_ORIGINS: `https://a.example,${site.origin}`,
  });
  expect(await run(page, 'stream', world)).toHaveProperty('text');
  const served = world.mock.requests.length;
  expect(await run(await openPage(other), 'stream', world)).toMatchObject({ error: { kind: 'APIConnectionError' } });
  expect(world.mock.requests).toHaveLength(served);
});

test('with listed headers a page reads these alone', async () => {
  await using world = await startGateway({
    ENABLE_CORS: 'true',
    CORS_ALLOWED_EXPOSE_HEADERS: 'x-gw-trace-id',
    GATEHOUSE_HEADER_ALIASES: 'x-acme-',
  });
  const { headers } = await run(page, 'complete', world, { headers: { 'x-acme-span-name': 's' } });
  expect(
    Object.keys(headers)
      .filter((name) => /^x-/.test(name))
      .sort(),
  ).toEqual(['x-acme-trace-id', 'x-gw-trace-id']);
});

test('without ENABLE_CORS no page of another origin gets anything', async () => {
  await using world = await startGateway({});
  expect(await run(page, 'complete', world)).toMatchObject({ error: { kind: 'APIConnectionError' } });
  expect(world.mock.requests).toEqual([]);
});
