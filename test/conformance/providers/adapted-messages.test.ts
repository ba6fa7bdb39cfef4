/** Messages over the chat completions of every provider: requests can be built, answers and streams are those of the Messages API. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAdapters, ADAPTERS as list } from '../../../gateway/src/pipeline/adapters/index.ts';
import type { JsonObject, StreamItem } from '../../../gateway/src/providers/contract.ts';
import { openStream, readAnswer, saysParam } from '../../../gateway/src/providers/engine/index.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, bytesOf, headOf, openSession, type Session } from './session.ts';
import { cut, decode, splitPoints, streamBytes } from './streams.ts';

const fixtures = readFixtures().filter(({ exchange }) => exchange.endpoint === 'chatComplete');

const TOOL = { name: 'wave', input_schema: { type: 'object', properties: { hand: { type: 'string' } } } };
const REQUEST = {
  max_tokens: 100,
  system: 'Be short.',
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'wave', input: { hand: 'left' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'It waved.' },
        { type: 'text', text: 'Again' },
      ],
    },
  ],
  tools: [TOOL],
  tool_choice: { type: 'any' },
  stop_sequences: ['END'],
  temperature: 0.5,
  top_k: 5,
  thinking: { type: 'enabled', budget_tokens: 1024 },
  metadata: { user_id: 'u' },
};

function adapt({ call, endpoint }: Session, params: JsonObject = REQUEST) {
  if (endpoint === undefined) throw new Error('the provider has no chat completions');
  const provider = { endpoints: { chatComplete: endpoint } } as Session['provider']; // of which nothing else is looked at
  const adapter = createAdapters(list).find('messages', provider);
  if (adapter === undefined) throw new Error('there is no adapter');
  const { provider: id, model, now, newId } = call;
  return adapter.adapt(
    { model, ...params },
    { provider: id, model, now, newId, has: (name) => saysParam(endpoint, name, call) },
  );
}

/** One exchange of each provider and model whose request is built without other calls. */
const built: readonly (readonly [name: string, exchange: Exchange])[] = [
  ...new Map(
    fixtures
      .map(({ exchange }) => exchange)
      .filter((exchange) => exchange.upstream_request !== undefined && exchange.side_calls.length === 0)
      .map((exchange) => [`${exchange.provider} ${exchange.client_request['model']}`, exchange] as const),
  ),
];

describe('a request', () => {
  test.for(built)('is built for %s', async ([, exchange]) => {
    const { params } = adapt(openSession(exchange));
    const adapted = { ...exchange, client_request: { ...params } };
    const { body } = await buildOutgoing(adapted, openSession(adapted));
    for (const said of ['Be short.', 'It waved.', 'Again']) expect(String(body)).toContain(said);
  });
});

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);
const usage = z.strictObject({
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  cache_read_input_tokens: z.int().min(0).optional(),
  cache_creation_input_tokens: z.int().min(0).optional(),
});
const message = z.strictObject({
  id: z.string().min(1),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(block),
  stop_reason: z.enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']).nullable(),
  stop_sequence: z.null(),
  usage,
});

/** Some exchanges are about other things than the answer, and have none. */
const answered = fixtures.filter(
  ({ exchange: { client_error: error, upstream_response: upstream } }) =>
    error === undefined && upstream?.status === 200 && !/"choices\\?":\s*\[\]/.test(JSON.stringify(upstream)),
);

describe('an answer', () => {
  test.for(answered)('is a message: $name', ({ exchange }) => {
    const session = openSession({ ...exchange, strict: false });
    const { provider, endpoint, call } = session;
    const upstream = exchange.upstream_response;
    if (endpoint === undefined || upstream === undefined) throw new Error('no answer');
    const read = readAnswer(provider, endpoint, call, { head: headOf(upstream), bytes: bytesOf(upstream) });
    message.parse(adapt(session).toClient(JSON.parse(read.toString())));
  });
});

/** The types of events in order, each block as one: how a stream of the Messages API goes. */
const ORDER =
  /^message_start( content_block_start( content_block_delta)* content_block_stop)*( message_delta message_stop)$/;
const BROKEN =
  /^(message_start( content_block_start( content_block_delta)* content_block_stop)*( content_block_start( content_block_delta)*)? )?error$/;

/** Decoders are cut at every byte by their own suite. */
const EVERY = 5;

const streamed = fixtures.filter(({ exchange }) => exchange.upstream_stream !== undefined);

describe('a stream', () => {
  test.for(streamed)('is one of a message, and the same when it is cut: $name', ({ exchange }) => {
    const bytes = streamBytes(exchange.upstream_stream ?? '');
    const run = (pieces: readonly Buffer[]): readonly StreamItem[] => {
      const session = openSession({ ...exchange, strict: false, stream: true });
      const { provider, endpoint, call } = session;
      const opened = endpoint && openStream(provider, endpoint, call, { items: true });
      if (opened?.kind !== 'decode') throw new Error('the stream is not decoded');
      const stream = adapt(session).openStream();
      return [...decode(opened, pieces).flatMap((item) => stream.push(item)), ...stream.end()];
    };
    const whole = run([bytes]);
    const types = whole.flatMap((item) =>
      item.kind === 'usage' ? [] : [item.kind === 'error' ? 'error' : item.event],
    );
    expect(types.join(' ')).toMatch(types.includes('error') ? BROKEN : ORDER);
    expect(indexesOf(whole)).toEqual([...indexesOf(whole)].sort((a, b) => a - b));
    const text = JSON.stringify(whole);
    for (const at of splitPoints(bytes.length).filter((_, i) => i % EVERY === 0)) {
      expect(JSON.stringify(run(cut(bytes, at))), `cut at byte ${at}`).toBe(text);
    }
  });
});

const indexesOf = (items: readonly StreamItem[]): readonly number[] =>
  items.flatMap((item) =>
    item.kind === 'chunk' && 'index' in item.data && typeof item.data.index === 'number' ? [item.data.index] : [],
  );
