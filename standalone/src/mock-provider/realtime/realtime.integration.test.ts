import { once } from 'node:events';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createMockProvider } from '../index.ts';

async function open(headers: Readonly<Record<string, string>> = {}, query = 'model=mock-small') {
  const mock = await createMockProvider();
  const socket = new WebSocket(`${mock.url.replace('http', 'ws')}/v1/realtime?${query}`, ['realtime'], { headers });
  const events: Record<string, unknown>[] = [];
  socket.on('error', () => {});
  socket.on('message', (data) => void events.push(JSON.parse(data.toString())));
  onTestFinished(async () => {
    socket.terminate();
    await mock.close();
  });
  const say = (event: object): void => socket.send(JSON.stringify(event));
  const types = () => events.map(({ type }) => type);
  return { mock, socket, events, say, types };
}

describe('a session of the mock', () => {
  test('answers a text with a text, and says what it used', async () => {
    const { socket, events, say, types } = await open();
    await waitFor(() => events.length === 1);
    expect([socket.protocol, events[0]]).toMatchObject(['realtime', { session: { model: 'mock-small' } }]);
    say({ type: 'session.update', session: { instructions: 'short', model: 'other' } });
    say({ type: 'conversation.item.create', item: { content: [{ type: 'input_text', text: 'hello there' }] } });
    say({ type: 'response.create' });
    await waitFor(() => types().includes('response.done'));
    expect(events[1]).toMatchObject({
      type: 'session.updated',
      session: { instructions: 'short', model: 'mock-small' },
    });
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe('Mock answer to: hello there');
    expect(events.at(-1)).toMatchObject({
      response: { status: 'completed', usage: { input_tokens: 3, output_tokens: 7, total_tokens: 10 } },
    });
  });

  test.for(['no JSON', '[]', '{"type":"other"}', '{"type":"constructor"}', '{}'])(
    'says what it does not know, and goes on: %s',
    async (text) => {
      const { socket, events, say, types } = await open();
      await waitFor(() => events.length === 1);
      socket.send(text);
      say({ type: 'response.create' });
      await waitFor(() => types().includes('response.done'));
      expect(types()[1]).toBe('error');
    },
  );

  test('is refused on command, recorded, and ended with the mock', async () => {
    const { mock, socket } = await open({ 'x-mock-status': '503' });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response).toMatchObject({ statusCode: 503 });
    expect(mock.requests).toMatchObject([{ path: '/v1/realtime', search: '?model=mock-small' }]);
    const other = await open({ 'x-mock-text': 'exactly this' });
    await waitFor(() => other.events.length === 1);
    other.say({ type: 'response.create' });
    await waitFor(() => other.types().includes('response.done'));
    expect(other.events).toContainEqual(expect.objectContaining({ text: 'exactly this' }));
    const closed = once(other.socket, 'close');
    await other.mock.close();
    await closed;
  });
});
