/** What streams say beside their texts in many events: pieces that are one text, and texts that are checked together. */
import { describe, expect, test, vi } from 'vitest';
import type { TextProtocol } from './formats/index.ts';
import { RestoringStream } from './restoring-stream.ts';
import { block, blocks, chunk, citation, eventsIn, redacting, send, toBytes } from './testing.ts';
import { WindowedStream } from './windowed-stream.ts';

describe('texts that follow each other', () => {
  const strings = JSON.stringify(Array.from({ length: 200 }, (_, i) => `text ${i}`)).match(/[\s\S]{1,7}/g) ?? [];
  const cited = Array.from({ length: 50 }, (_, i) => citation(`page ${i}`));
  const ran = { type: 'server_tool_use', id: 's', name: 'f' };
  const streams: readonly { name: string; protocol: TextProtocol; events: readonly object[] }[] = [
    {
      name: 'the input of a tool in messages',
      protocol: 'messages',
      events: block(
        0,
        ran,
        strings.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    },
    {
      name: 'the input of a tool in chats',
      protocol: 'chat',
      events: [blocks(0, ran), ...strings.map((partial_json) => blocks(0, { partial_json }))],
    },
    {
      name: 'the arguments of a tool in responses',
      protocol: 'responses',
      events: strings.map((delta) => ({ type: 'response.mcp_call_arguments.delta', output_index: 0, delta })),
    },
    {
      name: 'citations of messages',
      protocol: 'messages',
      events: block(
        0,
        { type: 'text', text: '' },
        cited.map((each) => ({ type: 'citations_delta', citation: each })),
      ),
    },
    {
      name: 'citations of chats',
      protocol: 'chat',
      events: [...cited.map((each) => blocks(0, { citation: each })), chunk({}, { finish_reason: 'stop' })],
    },
    {
      name: 'annotations of responses',
      protocol: 'responses',
      events: [
        ...cited.map((each) => ({ type: 'response.output_text.annotation.added', output_index: 0, annotation: each })),
        { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
      ],
    },
  ];

  test.for(streams)('$name are checked together, and leave with what holds them', async ({ protocol, events }) => {
    const check = vi.fn(async () => ({ kind: 'pass' }) as const);
    const stream = new WindowedStream(protocol, { size: 1_000, changesTexts: true, check });
    const { pieces: sent } = await stream.push(toBytes(events));
    expect(eventsIn(Buffer.concat(sent).toString())).toEqual(eventsIn(toBytes(events).toString()));
    expect(check.mock.calls.length).toBeLessThan(5);
    expect(stream.heldBytes).toBe(0);
  });
});

describe('texts that come in pieces', () => {
  const texts = (content: string) => ({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'compaction_delta', content },
  });
  test.for<{ name: string; protocol: TextProtocol; piece: (text: string, i: number) => object }>([
    {
      name: 'the result of a tool of chats',
      protocol: 'chat',
      piece: (content, i) => blocks(3, { ...(i === 0 ? { type: 'mcp_tool_result' } : {}), content }),
    },
    { name: 'what sound of chats says', protocol: 'chat', piece: (transcript) => chunk({ audio: { transcript } }) },
    { name: 'the summary of messages', protocol: 'messages', piece: texts },
    {
      name: 'the command of a shell',
      protocol: 'responses',
      piece: (delta) => ({ type: 'response.shell_call_command.delta', output_index: 1, command_index: 1, delta }),
    },
    {
      name: 'the output of a shell',
      protocol: 'responses',
      piece: (stdout) => ({
        type: 'response.shell_call_output_content.delta',
        ...{ output_index: 1, command_index: 0, delta: { stdout, stderr: '' } },
      }),
    },
    {
      name: 'an event that nobody knows',
      protocol: 'responses',
      piece: (delta) => ({ type: 'response.novel.delta', output_index: 1, delta }),
    },
  ])('are one: $name', async ({ protocol, piece }) => {
    const bytes = toBytes(['a SEC', 'RET-12', '34 b'].map(piece));
    const { out } = await send(protocol, [bytes], redacting(1_000));
    expect(out).not.toMatch(/SEC|RET|34/);
    expect(out).toContain('[“g”]');
    const named = toBytes(['[NA', 'ME_1]'].map(piece));
    const restoring = new RestoringStream(protocol, new Map([['[NAME_1]', 'Bo']]));
    expect(Buffer.concat([...restoring.push(named), ...restoring.end()]).toString()).toMatch(/"Bo"/);
  });

  test.for([
    { type: 'compaction', content: '' },
    { type: 'mcp_tool_result', content: null },
  ])('are looked at where the first piece says nothing: $type', async (first) => {
    const bytes = toBytes([blocks(2, first), blocks(2, { content: 'SECRET-1234' })]);
    expect((await send('chat', [bytes], redacting(1_000))).out).not.toContain('SECRET');
  });

  test('end with their block', async () => {
    const result = (content: string) => blocks(3, { type: 'mcp_tool_result', content });
    for (const [i, next] of [blocks(4, { text: 'So' }), chunk({ content: 'So' })].entries()) {
      const stream = new WindowedStream('chat', redacting(1_000));
      const { pieces: sent } = await stream.push(toBytes([result(`a ${i}`), result('b'), next]));
      expect(sent).toHaveLength(2);
    }
  });
});

describe('JSON that is cut off in an escape', () => {
  const ran = { type: 'server_tool_use', id: 's', name: 'f' };
  const json = ['{"a":"abc', '\\', 'n', '\\u00'];
  const of = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
  const called = (delta: string) => ({ type: 'response.mcp_call_arguments.delta', output_index: 0, delta });
  test.for<{ name: string; protocol: TextProtocol; events: readonly object[] }>([
    { name: 'a block of messages', protocol: 'messages', events: block(0, ran, json.map(of)) },
    { name: 'messages without an end', protocol: 'messages', events: block(0, ran, json.map(of)).slice(0, -1) },
    {
      name: 'messages that are over',
      protocol: 'messages',
      events: [...block(0, ran, json.map(of)).slice(0, -1), { type: 'message_stop' }],
    },
    {
      name: 'a block of chats',
      protocol: 'chat',
      events: [blocks(0, ran), ...json.map((partial_json) => blocks(0, { partial_json })), { error: { message: 'e' } }],
    },
    { name: 'a call of responses', protocol: 'responses', events: [...json.map(called), { type: 'error' }] },
  ])('is sent as it came in $name', async ({ protocol, events }) => {
    const bytes = toBytes(events);
    const { out } = await send(protocol, [bytes], redacting(20));
    expect(eventsIn(out)).toEqual(eventsIn(bytes.toString()));
    const restoring = new RestoringStream(protocol, new Map([['[NAME_1]', 'Bo']]));
    expect(Buffer.concat([...restoring.push(bytes), ...restoring.end()]).toString()).toBe(out);
  });

  test('leaves when its block ends', async () => {
    const stream = new WindowedStream('messages', redacting(20));
    const { pieces: sent } = await stream.push(toBytes(block(0, ran, json.map(of))));
    expect(Buffer.concat(sent).toString()).toContain('content_block_stop');
  });
});

describe('chunks of a chat with the message so far', () => {
  const chunks = (ends: readonly (readonly [string, object])[]) =>
    ends.map(([content, message]) => chunk({ content }, { message }));

  test('leave without it', async () => {
    const bytes = toBytes(
      chunks([
        ['a SEC', { content: 'a SEC' }],
        ['RET-1234 b', { content: 'a SECRET-1234 b' }],
      ]),
    );
    const { out } = await send('chat', [bytes], redacting(1_000));
    expect(out).not.toMatch(/SEC|message/);
    expect(out).toContain('[“g”]');
  });

  test('are looked at where it is all that they say', async () => {
    const { delta: _, ...choice } = { index: 0, delta: {}, message: { content: 'a SECRET-1234 b' } };
    const { out } = await send('chat', [toBytes([{ choices: [choice] }])], redacting(1_000));
    expect(out).toContain('"content":"a [“g”] b"');
  });
});

describe('what a provider may send too much of', () => {
  test.for<{ name: string; protocol: TextProtocol; events: readonly object[] }>([
    {
      name: 'blocks',
      protocol: 'chat',
      events: [chunk({ content_blocks: Array.from({ length: 10_001 }, () => ({})) })],
    },
    {
      name: 'strings',
      protocol: 'messages',
      events: block(0, { type: 'server_tool_use', id: 's', name: 'f' }, [
        { type: 'input_json_delta', partial_json: `[${'"",'.repeat(20_001)}` },
      ]),
    },
  ])('breaks the stream: $name', async ({ protocol, events }) => {
    const stream = new WindowedStream(protocol, redacting(1_000));
    await expect(async () => stream.push(toBytes(events))).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
  });
});

test('arguments that are no JSON are looked at as they are', async () => {
  const done = { type: 'response.mcp_call_arguments.done', output_index: 0, arguments: 'SECRET-1234' };
  expect((await send('responses', [toBytes([done])], redacting(1_000))).out).not.toContain('SECRET');
});
