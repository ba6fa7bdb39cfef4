/** The response cache as clients see it, for any store: docs/behaviour/caching.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { eventsOf } from '../../kit/http.ts';
import { config, key, provider, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const OTHER = 'gwk_other_workspace_0123456789';

/** `environment`: how the gateway finds its store. */
export function describeCache(name: string, environment: () => Readonly<Record<string, string>>): void {
  describe(`the response cache in ${name}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld({
        env: environment(),
        entries: ({ url }) => [
          config('cached', { provider: '@openai', cache: { mode: 'simple', max_age: 120 } }),
          config('claude', { provider: '@anthropic', cache: 'simple' }),
          workspace('team-b'),
          key({ name: 'other', secret: OTHER, workspace: 'team-b' }),
          provider('openai', { workspace: 'team-b', customHost: `${url}/v1`, secret: 'sk-openai-secret' }),
          config('cached', { provider: '@openai', cache: { mode: 'simple' } }, { workspace: 'team-b' }),
        ],
      });
    });
    beforeAll(async () => {
      await untilHit(fresh()); // nothing waits for a store when the gateway starts
    });
    afterAll(() => world[Symbol.asyncDispose]());

    let questions = 0;
    /** A question that was not asked before. */
    const fresh = (more: object = {}): Record<string, unknown> => {
      questions += 1;
      return { model: 'mock-small', messages: [{ role: 'user', content: `question ${questions}` }], ...more };
    };
    const ask = (body: object, headers: Record<string, string> = {}, path = '/v1/chat/completions') =>
      world.send(path, { headers: { 'x-gw-config': 'cached', ...headers }, body });
    const upstreamCalls = () => world.mock.requests.length;
    /** Asks until the answer, which is written in the background, is there. */
    const untilHit = (body: object, headers: Record<string, string> = {}, path = '/v1/chat/completions') =>
      waitFor(async () => {
        const answer = await ask(body, headers, path);
        return answer.headers['x-gw-cache-status'] === 'HIT' ? answer : undefined;
      });

    test('answers the second time without the provider, with the same body', async () => {
      const body = fresh();
      const first = await ask(body);
      expect(first.headers['x-gw-cache-status']).toBe('MISS');
      const hit = await untilHit(body);
      expect(hit.json()).toEqual(first.json());
      expect(hit.headers).toMatchObject({
        'content-type': expect.stringContaining('application/json'),
        'x-gw-provider': 'openai',
        'x-gw-retry-attempt-count': '0',
        'x-gw-last-used-option-index': 'config',
      });
      const before = upstreamCalls();
      await ask(body);
      expect(upstreamCalls()).toBe(before);
    });

    test.for([
      { rule: 'the body', change: { temperature: 1 }, headers: {} },
      { rule: 'the metadata', change: {}, headers: { 'x-gw-metadata': '{"a":"b"}' } },
      { rule: 'the namespace', change: {}, headers: { 'x-gw-cache-namespace': 'mine' } },
      { rule: 'whether it streams', change: { stream: true }, headers: {} },
    ])('keeps apart what differs in $rule', async ({ change, headers }) => {
      const body = fresh();
      await ask(body);
      await untilHit(body);
      // A store that did not answer in time leaves no status.
      const told = async () => (await ask({ ...body, ...change }, headers)).headers['x-gw-cache-status'];
      expect(await waitFor(told, { what: 'an answer of the cache' })).toBe('MISS');
    });

    test('shares a namespace whatever the metadata', async () => {
      const body = fresh();
      const namespace = { 'x-gw-cache-namespace': 'shared' };
      await ask(body, { ...namespace, 'x-gw-metadata': '{"a":"1"}' });
      await untilHit(body, { ...namespace, 'x-gw-metadata': '{"a":"2"}' });
    });

    test('keeps workspaces apart', async () => {
      const body = fresh();
      await ask(body);
      await untilHit(body);
      expect((await ask(body, { 'x-gw-api-key': OTHER })).headers['x-gw-cache-status']).toBe('MISS');
    });

    test('is refreshed by force', async () => {
      const body = fresh();
      await ask(body);
      await untilHit(body);
      const before = upstreamCalls();
      const refreshed = await ask(body, { 'x-gw-cache-force-refresh': 'True' });
      expect(refreshed.headers['x-gw-cache-status']).toBe('REFRESH');
      expect(upstreamCalls()).toBe(before + 1);
      await untilHit(body);
    });

    test.for([
      { rule: 'a chat', path: '/v1/chat/completions', config: 'cached', body: {} },
      {
        rule: 'a chat with usage',
        path: '/v1/chat/completions',
        config: 'cached',
        body: { stream_options: { include_usage: true } },
      },
      { rule: 'a text completion', path: '/v1/completions', config: 'cached', body: { prompt: 'Once' } },
      { rule: 'a response', path: '/v1/responses', config: 'cached', body: { input: 'Hello' } },
      { rule: 'a message', path: '/v1/messages', config: 'claude', body: { max_tokens: 50 } },
    ])('replays the stream of $rule in its own format', async ({ path, config: slug, body }) => {
      const asked = fresh({ ...body, stream: true });
      const headers = { 'x-gw-config': slug };
      const first = await ask(asked, headers, path);
      const hit = await untilHit(asked, headers, path);
      expect(hit.headers['content-type']).toContain('text/event-stream');
      const [original, replayed] = [eventsOf(first.text), eventsOf(hit.text)];
      expect(replayed.length).toBeGreaterThan(0);
      expect(replayed.at(-1)).toMatchObject({ event: original.at(-1)?.event });
      expect(textOf(replayed)).toBe(textOf(original));
      expect(hit.text.includes('"usage":{')).toBe(first.text.includes('"usage":{'));
    });

    test.for([
      { rule: 'an error', body: { model: 'mock-fail-500' }, again: 'MISS' },
      { rule: 'a stream that was cut', body: { model: 'mock-cut-900', stream: true }, again: 'MISS' },
      {
        rule: 'a stream that ended in an error event',
        body: { model: 'mock-error-event', stream: true },
        again: 'MISS',
      },
      { rule: 'a broken body', body: { model: 'mock-malformed-json' }, again: 'MISS' },
      {
        rule: 'an answer to a client that turned its log off',
        body: {},
        headers: { 'x-gw-debug': 'false' },
        again: 'MISS',
      },
    ])('never stores $rule', async ({ body, headers = {}, again }) => {
      const asked = fresh(body);
      await ask(asked, headers);
      // A later answer is stored after an earlier one would have been.
      const marker = fresh();
      await ask(marker);
      await untilHit(marker);
      expect((await ask(asked, headers)).headers['x-gw-cache-status']).toBe(again);
    });

    test('never stores what a client did not wait for', async () => {
      const asked = fresh({ model: 'mock-slow-30', stream: true });
      const controller = new AbortController();
      const response = await fetch(`${world.url}/v1/chat/completions`, {
        method: 'POST',
        signal: controller.signal,
        headers: { 'x-gw-config': 'cached', authorization: `Bearer ${OTHER}`, 'content-type': 'application/json' },
        body: JSON.stringify(asked),
      });
      await response.body?.getReader().read();
      controller.abort();
      await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken');
      const again = await ask(asked, { 'x-gw-api-key': OTHER });
      expect(again.headers['x-gw-cache-status']).toBe('MISS');
    });

    test('is left alone where it cannot help', async () => {
      const proxied = await ask(fresh(), {}, '/v1/echo');
      expect(proxied.headers['x-gw-cache-status']).toBe('MISS');
      const form = await world.send('/v1/echo', {
        headers: { 'x-gw-config': 'cached', 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x--\r\n',
      });
      expect(form.headers['x-gw-cache-status']).toBe('DISABLED');
      const read = await world.send('/v1/files', { headers: { 'x-gw-config': 'cached' } });
      expect(read.headers['x-gw-cache-status']).toBe('DISABLED');
      const plain = await world.send('/v1/chat/completions', {
        headers: { 'x-gw-provider': '@openai' },
        body: fresh(),
      });
      expect(plain.headers['x-gw-cache-status']).toBe('DISABLED');
    });
  });
}

/** The text that the deltas of any of the formats add up to. */
function textOf(events: ReturnType<typeof eventsOf>): string {
  let text = '';
  for (const { data } of events) {
    if (data === '' || data === '[DONE]') continue;
    const value = JSON.parse(data);
    if (value.type === 'response.output_text.delta') text += value.delta;
    text += value.choices?.[0]?.delta?.content ?? value.choices?.[0]?.text ?? value.delta?.text ?? '';
  }
  return text;
}
