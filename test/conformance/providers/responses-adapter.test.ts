/** The Responses API over the chat completions of every provider: what their answers and streams become. */
import { isObject } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import {
  ADAPTERS,
  type Adaptation,
  type AdapterContext,
  createAdapters,
} from '../../../gateway/src/pipeline/adapters/index.ts';
import type { StreamItem } from '../../../gateway/src/providers/contract.ts';
import { openStream, readAnswer } from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, bytesOf, headOf, openSession, type Session } from './session.ts';
import { cut, decode, splitPoints, streamBytes } from './streams.ts';

const adapter = ADAPTERS.find(({ operation }) => operation === 'createModelResponse');
const TOOLS = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }];
/** `user`: the tenant of a provider that wants one. */
const PARAMS = { input: 'Hi', user: 'u', tools: TOOLS, include: ['reasoning.encrypted_content'] };

const contextOf = (call: Session['call']): AdapterContext => ({
  ...{ provider: call.provider, model: call.model, now: () => call.now(), newId: call.newId },
  has: () => undefined,
});

/** As the pipeline does it: the call of the adaptation is not strict. */
function openAdapted(exchange: Exchange): { readonly session: Session; readonly adaptation: Adaptation } {
  const session = openSession({ ...exchange, strict: false });
  const params = { ...PARAMS, model: session.call.model, stream: exchange.stream };
  const adaptation = adapter?.adapt(params, contextOf(session.call));
  if (adaptation === undefined) throw new Error('responses are not adapted');
  return { session, adaptation };
}

const chats = readFixtures().filter(({ exchange }) => exchange.endpoint === 'chatComplete');

describe('a good answer becomes a response', () => {
  const good = chats.filter(({ exchange: { client_response: client } }) => {
    const choices: unknown = client?.status === 200 && isObject(client.body) ? client.body['choices'] : undefined;
    return Array.isArray(choices) && choices.length > 0;
  });

  test.for(good)('of $name', ({ exchange }) => {
    const { session, adaptation } = openAdapted(exchange);
    const { provider, endpoint, call } = session;
    const upstream = exchange.upstream_response;
    if (endpoint === undefined || upstream === undefined) throw new Error('no answer');
    const read = readAnswer(provider, endpoint, call, { head: headOf(upstream), bytes: bytesOf(upstream) });
    const chat = JSON.parse(read.toString('utf8'));
    const response = JSON.parse(JSON.stringify(adaptation.toClient(chat)));
    expect(response).toMatchObject({
      id: expect.stringMatching(/./),
      object: 'response',
      created_at: expect.any(Number),
      status: expect.stringMatching(/^(?:completed|incomplete)$/),
      model: expect.any(String),
      error: null,
    });
    expect(textOf(response.output)).toBe(chat.choices[0].message.content ?? '');
    const calls: readonly { function: { name: string } }[] = chat.choices[0].message.tool_calls ?? [];
    expect(response.output.filter(isCall).map(({ name }: { name: string }) => name)).toEqual(
      calls.map((call) => call.function.name),
    );
    expect(response.usage?.total_tokens).toBe(chat.usage?.total_tokens);
  });
});

const isCall = (item: unknown): boolean => isObject(item) && item['type'] === 'function_call';

function textOf(output: readonly { type: string; content?: readonly { text?: string }[] }[]): string {
  return output
    .flatMap(({ type, content = [] }) => (type === 'message' ? content.map(({ text }) => text ?? '') : []))
    .join('');
}

interface Events {
  readonly types: readonly string[];
  readonly numbers: readonly number[];
}

const eventsOf = (items: readonly StreamItem[]): Events => {
  const events = items.flatMap((item) =>
    item.kind === 'chunk' ? [item.data as { type: string; sequence_number: number }] : [],
  );
  return { types: events.map(({ type }) => type), numbers: events.map((event) => event.sequence_number) };
};

describe('a stream becomes the events of a response', () => {
  test.for(chats.filter(({ exchange }) => exchange.upstream_stream !== undefined))('of $name', ({ exchange }) => {
    const bytes = streamBytes(exchange.upstream_stream ?? '');
    const run = (pieces: readonly Buffer[]): readonly StreamItem[] => {
      const { session, adaptation } = openAdapted({ ...exchange, stream: true });
      const { provider, endpoint, call } = session;
      const opened = endpoint && openStream(provider, endpoint, call, { items: true });
      if (opened?.kind !== 'decode') throw new Error('the stream cannot be adapted');
      const stream = adaptation.openStream();
      const decoder = opened.decoder;
      return decode(
        {
          framing: opened.framing,
          decoder: {
            push: (frame) => decoder.push(frame).flatMap((item) => stream.push(item)),
            end: () => [...decoder.end().flatMap((item) => stream.push(item)), ...stream.end()],
          },
        },
        pieces,
      );
    };
    const whole = run([bytes]);
    const { types, numbers } = eventsOf(whole);
    expect(numbers).toEqual([...numbers.keys()]);
    const failed = whole.some(({ kind }) => kind === 'error');
    if (!failed) {
      expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
      expect(types.at(-1)).toMatch(/^response\.(?:completed|incomplete)$/);
      const opened = types.filter((type) => type === 'response.output_item.added');
      expect(types.filter((type) => type === 'response.output_item.done')).toHaveLength(opened.length);
    } else expect(types.filter((type) => /completed|incomplete/.test(type))).toEqual([]);
    const text = JSON.stringify(whole);
    for (const at of splitPoints(bytes.length)) expect(JSON.stringify(run(cut(bytes, at))), `cut at ${at}`).toBe(text);
  });
});

describe('a request reaches', () => {
  const asked = chats.filter(({ exchange }) => exchange.upstream_request && exchange.client_error === undefined);
  /** One of each provider: its fields and its side calls are those of the fixture. */
  const first = [...new Map(asked.map((fixture) => [fixture.exchange.provider, fixture] as const).reverse()).values()];

  test.for(first)('$exchange.provider, as a chat', async ({ exchange }) => {
    const { adaptation } = openAdapted(exchange);
    const chat = {
      ...exchange,
      client_request: { ...adaptation.params, model: exchange.client_request['model'] ?? 'm' },
    };
    const session = openSession(chat);
    const request = await buildOutgoing(chat, session);
    const body = JSON.parse(String(request.body));
    expect(JSON.stringify(body)).toContain('"Hi"');
    expect(body).not.toHaveProperty('input');
  });
});

test('every provider with chat completions serves responses, natively or by the adapter', () => {
  const chat = [...PROVIDERS.values()].filter(({ endpoints }) => endpoints.chatComplete !== undefined);
  expect(chat.length).toBeGreaterThan(50);
  const adapters = createAdapters(ADAPTERS);
  expect(chat.filter((provider) => adapters.find('createModelResponse', provider) === undefined)).toEqual([]);
});
