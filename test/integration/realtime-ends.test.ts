/** How realtime sessions end, and what they may use: docs/behaviour/realtime.md. */
import { describe, expect, test } from 'vitest';
import { connectRealtime, type ProviderSession } from '../kit/realtime-provider.ts';
import { DONE, expectNothingLeft, openRealtime, refusal, startRealtime } from '../kit/realtime-world.ts';
import { waitFor } from '../kit/wait-for.ts';

describe('a session ends', () => {
  const SOON = { GATEHOUSE_REALTIME_PING_MS: '0' };

  test('when nobody says anything', async () => {
    const { client, session } = await openRealtime({ env: { ...SOON, GATEHOUSE_REALTIME_IDLE_TIMEOUT_MS: '500' } });
    await waitFor(() => client.closed !== undefined && session.closed !== undefined);
    expect([client.closed?.code, session.closed?.code]).toEqual([1001, 1001]);
    expect(client.events().at(-1)).toMatchObject({ error: { code: 'session_expired' } });
  });

  test('when it has lasted too long', async () => {
    const { client } = await openRealtime({ env: { ...SOON, GATEHOUSE_REALTIME_MAX_SESSION_MS: '500' } });
    await waitFor(() => client.closed !== undefined);
    expect(client.closed).toMatchObject({ code: 1001, reason: expect.stringContaining('500 ms') });
  });

  test('when an end gives no sign of life', async () => {
    const { client, session } = await openRealtime({ env: { GATEHOUSE_REALTIME_PING_MS: '300' } });
    session.socket.pause(); // it reads no ping, so that it sends no pong
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1011);
  });

  test('when its key is deleted', async () => {
    const { client, world, entries } = await openRealtime();
    await world.load(entries.filter(({ kind }) => kind !== 'key'));
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1008);
  });

  test('with a message that is too large, either way', async () => {
    const env = { GATEHOUSE_REALTIME_MAX_MESSAGE_BYTES: '2048' };
    const first = await openRealtime({ env });
    first.client.socket.send('x'.repeat(2_049));
    await waitFor(() => first.client.closed !== undefined && first.session.closed !== undefined);
    expect([first.client.closed?.code, first.session.closed?.code]).toEqual([1009, 1001]);
    const second = await openRealtime({ env });
    second.session.socket.send('x'.repeat(2_049));
    await waitFor(() => second.client.closed !== undefined && second.session.closed !== undefined);
    expect([second.client.closed?.code, second.session.closed?.code]).toEqual([1011, 1009]);
    await expectNothingLeft(first);
  });

  test('in a drain: at once where no response is on its way, else behind it', async () => {
    const env = { GATEHOUSE_DRAIN_ACCEPT_MS: '0', GATEHOUSE_DRAIN_DEADLINE_MS: '60000' };
    const bench = await openRealtime({ env });
    const busy = await bench.connect();
    await waitFor(() => bench.provider.sessions.length === 2);
    const speaking = bench.provider.sessions[1] as ProviderSession; // as waited for
    speaking.emit({ type: 'response.created' });
    await waitFor(() => busy.messages.length === 1);
    const drained = bench.world.gateway.drain();
    await waitFor(() => bench.client.closed !== undefined);
    expect(bench.client.closed?.code).toBe(1001);
    expect(busy.closed).toBeUndefined();
    speaking.emit(DONE);
    await waitFor(() => busy.closed !== undefined);
    expect([busy.closed?.code, busy.events().map(({ type }) => type)]).toEqual([
      1001,
      ['response.created', 'response.done', 'error'],
    ]);
    await drained;
  });

  test('at the deadline of a drain, whatever is on its way', async () => {
    const env = { GATEHOUSE_DRAIN_ACCEPT_MS: '0', GATEHOUSE_DRAIN_DEADLINE_MS: '100' };
    const { client, session, world } = await openRealtime({ env });
    session.emit({ type: 'response.created' });
    await waitFor(() => client.messages.length === 1);
    await world.gateway.drain();
    await waitFor(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1001);
  });
});

describe('a reader that is slow', () => {
  const PIECE = Buffer.alloc(256 * 1024, 'a');

  test.for(['client', 'provider'] as const)('is waited for, in bounded memory: the %s', async (slow) => {
    const { client, session, world } = await openRealtime();
    const [reader, writer] = slow === 'client' ? [client, session] : [session, client];
    reader.socket.pause();
    const pieces = 400; // 100 MiB
    for (let i = 0; i < pieces; i += 1) writer.socket.send(PIECE);
    await waitFor(() => writer.socket.bufferedAmount > 0);
    let seen = -1;
    await waitFor(
      () => {
        const isStill = writer.socket.bufferedAmount === seen;
        seen = writer.socket.bufferedAmount;
        return isStill;
      },
      { what: 'the gateway reads no more' },
    );
    expect(seen).toBeGreaterThan(50 * 1024 * 1024);
    expect(await world.metric('gatehouse_buffered_bytes')).toBeLessThan(2 * 1024 * 1024);
    reader.socket.resume();
    await waitFor(() => reader.messages.length === pieces);
    expect(reader.messages.every(({ data }) => data.equals(PIECE))).toBe(true);
  });
});

describe('an account that admits listed models only', () => {
  const provider = { models: ['gpt-realtime', 'whisper-1'] };

  test('refuses others when the session is opened', async () => {
    const { world } = await startRealtime({ provider });
    for (const query of ['model=@openai/gpt-other', 'model=@openai/gpt-realtime&call_id=rtc_1']) {
      const refused = await refusal(connectRealtime(world.url, { query }));
      expect(JSON.parse(refused.text).error.message).toContain('@openai');
      expect(refused.status).toBe(412);
    }
  });

  test.for([
    { what: 'another model', event: { session: { audio: { input: { transcription: { model: 'gpt-other' } } } } } },
    { what: 'no text', event: { session: { model: { id: 'gpt-realtime' } } } },
  ])('ends a session whose client names $what', async ({ event }) => {
    const { client, session } = await openRealtime({ provider });
    const good = { type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } };
    client.socket.send(JSON.stringify(good));
    client.socket.send(JSON.stringify({ type: 'session.update', ...event }));
    await waitFor(() => client.closed !== undefined && session.closed !== undefined);
    expect(client.closed?.code).toBe(1008);
    expect(session.messages.map(({ data }) => JSON.parse(data.toString()))).toEqual([good]);
  });

  test('ends a session whose client hides a model behind a repeated name', async () => {
    const { client, session } = await openRealtime({ provider });
    client.socket.send('{"type":"session.update","session":{"model":"gpt-other","model":"gpt-realtime"}}');
    await waitFor(() => client.closed !== undefined);
    expect([client.closed?.code, session.messages]).toEqual([1008, []]);
  });
});
