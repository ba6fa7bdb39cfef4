/** Arguments of a tool call that look like a usage object were counted instead of the usage: a caller could hide what a call cost. */
import type { RequestRecord } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const USAGE = { input_tokens: 1000, output_tokens: 200 };
const FAKE = { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
const ENVELOPE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'wave', input: FAKE };
const EVENTS = [
  { type: 'message_start', message: { ...ENVELOPE, content: [], usage: USAGE } },
  { type: 'content_block_start', index: 0, content_block: CALL },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 200 } },
  { type: 'message_stop' },
];

test.for([{ stream: false }, { stream: true }])(
  'the usage of a message is counted, stream: $stream',
  async ({ stream }) => {
    await using vendor = await startRawUpstream((reply) =>
      stream
        ? reply.answer(
            200,
            EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
            {
              'content-type': 'text/event-stream',
            },
          )
        : reply.answer(200, JSON.stringify({ ...ENVELOPE, usage: USAGE, content: [CALL] }), {
            'content-type': 'application/json',
          }),
    );
    const records: RequestRecord[] = [];
    await using gateway = await startGateway({
      sinks: [{ name: 'test', readsUsage: true, record: (record) => void records.push(record) }],
      entries: [workspace(), key(), provider('claude', { provider: 'anthropic', customHost: `${vendor.url}/v1` })],
    });
    const messages = [{ role: 'user', content: 'Wave' }];
    const { status } = await gateway.send('/v1/messages', {
      headers: { 'x-gw-provider': '@claude' },
      body: { model: 'm', max_tokens: 500, messages, stream },
    });
    expect(status).toBe(200);
    await waitFor(() => records.length === 1);
    expect(records[0]?.answeredBy?.usage).toMatchObject({ input: 1000, output: 200, total: 1200 });
  },
);
