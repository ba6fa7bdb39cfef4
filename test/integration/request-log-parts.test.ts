/** What rows of the request log tell of a client's SDK, and of the parts of a request. */
import { expect, test } from 'vitest';
import { expectNothingLeft, startWorld } from '../kit/gateway.ts';
import { account } from '../kit/limited-world.ts';
import { memoryLog } from '../kit/request-log.ts';

const SDK = {
  'user-agent': 'OpenAI/JS 5.1.0',
  'x-stainless-lang': 'js',
  'x-stainless-runtime': 'node',
  'x-stainless-runtime-version': 'v26.1.0',
  'x-stainless-package-version': '5.1.0',
};
const body = { model: 'mock-small', messages: [{ role: 'user', content: 'Hello' }] };
const target = (model: string) => ({ provider: '@main', override_params: { model } });
const fallback = (...models: readonly string[]) => ({
  strategy: { mode: 'fallback' },
  targets: models.map(target),
  cache: { mode: 'simple' },
});

const time = expect.any(Number);
const SOME = { request_parsing_ms: time, pre_processing_ms: time };
const NONE = { request_parsing_ms: null, pre_processing_ms: null, cache_ms: null, response_parsing_ms: null };

test('rows tell what the client runs on and how long parts of its request took', async () => {
  const log = memoryLog();
  await using world = await startWorld({ requestLog: log, entries: (mock) => [account(mock, 'main', {})] });
  const send = async (config: object, given: object = body) => {
    await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config), ...SDK },
      body: given,
    });
    await expectNothingLeft(world);
    return (await log.next()).map(({ row }) => row);
  };

  const tried = await send(fallback('mock-fail-503', 'mock-small'));
  expect(tried).toHaveLength(2);
  for (const row of tried)
    expect(row).toMatchObject({ runtime: 'node', runtime_version: 'v26.1.0', sdk_version: '5.1.0' });
  expect(tried[0]).toMatchObject({ ...NONE, status: 503, cache_ms: time });
  expect(tried[1]).toMatchObject({ ...SOME, cache: 'MISS', cache_ms: time, response_parsing_ms: time });
  for (const ms of [tried[1]?.request_parsing_ms, tried[1]?.pre_processing_ms, tried[1]?.response_parsing_ms]) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThanOrEqual(tried[1]?.response_ms ?? 0);
  }

  const [hit] = await send(fallback('mock-small'));
  expect(hit).toMatchObject({ ...SOME, cache: 'HIT', cache_ms: time, response_parsing_ms: null });

  const [streamed] = await send(target('mock-small'), { ...body, stream: true });
  expect(streamed).toMatchObject({ ...SOME, is_stream: true, cache_ms: null, response_parsing_ms: null });
});

test('rows of requests that were refused, and of clients that say nothing, tell what there is', async () => {
  const log = memoryLog();
  await using world = await startWorld({ requestLog: log, entries: (mock) => [account(mock, 'main', {})] });
  await world.send('/v1/chat/completions', { headers: { 'user-agent': 'Mozilla/5.0 (X11)' }, body: '{' });
  await expectNothingLeft(world);
  const [refused] = await log.next();
  expect(refused?.row).toMatchObject({ ...NONE, status: 400, runtime: null, runtime_version: null, sdk_version: null });
});
