import { isObject } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import type { StreamItem } from '../../wire/contract.ts';
import type { ChatChunk, ChatCompletion } from '../../wire/openai/index.ts';
import type { AttemptOutcome } from '../attempt/index.ts';
import { chat, gateway, message } from '../attempt/testing.ts';
import { OPERATIONS } from '../operations/index.ts';
import { ADAPTERS, type Adapter, type StreamAdapter } from './index.ts';

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
]);
const stopReason = (reason: string | null | undefined): string | null => STOP_REASONS.get(reason ?? '') ?? null;

/** Messages of text over a provider that has chat completions only: small, and everything that an adapter needs. */
const messagesOverChat: Adapter = {
  operation: 'messages',
  endpoint: 'chatComplete',
  adapt: ({ system, max_tokens: maxTokens, messages, top_k: topK, ...rest }, { model, newId }) => {
    if (topK !== undefined) throw new AppError('PARAMETER_INVALID', { param: 'top_k' });
    const list = Array.isArray(messages) ? messages : [];
    const first = system === undefined ? [] : [{ role: 'system', content: system }];
    return {
      params: { ...rest, max_completion_tokens: maxTokens, messages: [...first, ...list] },
      toClient: (answer) => {
        const { choices } = answer as unknown as ChatCompletion; // the endpoint's reader wrote it
        const [choice] = choices;
        return {
          ...{ id: newId('msg_', 8), type: 'message', role: 'assistant', model },
          content: [{ type: 'text', text: choice?.message.content }],
          stop_reason: stopReason(choice?.finish_reason),
        };
      },
      openStream: () => textEvents(newId('msg_', 8), model),
    };
  },
};

function textEvents(id: string, model: string): StreamAdapter {
  let stop: string | null = null;
  let outputTokens = 0;
  let isOpen = false;
  const event = (data: { readonly type: string; readonly [more: string]: unknown }): StreamItem => ({
    kind: 'chunk',
    event: data.type,
    data,
  });
  const start = (): StreamItem[] => {
    if (isOpen) return [];
    isOpen = true;
    return [
      event({ type: 'message_start', message: { id, type: 'message', role: 'assistant', model, content: [] } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ];
  };
  return {
    push: (item) => {
      if (item.kind === 'usage') outputTokens = item.usage.completion_tokens;
      if (item.kind !== 'chunk') return [item];
      const [choice] = (item.data as ChatChunk).choices; // the endpoint's decoder wrote it
      stop = stopReason(choice?.finish_reason) ?? stop;
      const text = choice?.delta.content ?? '';
      const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
      return [...start(), ...(text === '' ? [] : [event(delta)])];
    },
    end: () => [
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: outputTokens } }),
      event({ type: 'message_stop' }),
    ],
  };
}

const body = { max_tokens: 5, system: 'Be short.' };
const messagesGateway = (answers: readonly (object | string)[], adapters: readonly Adapter[] = [messagesOverChat]) =>
  gateway({ operation: OPERATIONS.messages, adapters, answers });

/** What the client reads of a stream. */
function streamed({ body: answer }: AttemptOutcome): Promise<string> {
  if (answer.kind !== 'stream' || answer.transform === undefined) throw new Error('no stream');
  const { upstream, transform } = answer;
  return new Promise((resolve, reject) => {
    let text = '';
    upstream.pipe({
      write: (bytes) => {
        text += transform.push(bytes) ?? '';
        return true;
      },
      end: () => resolve(text + transform.end()),
      fail: reject,
    });
  });
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const USAGE_CHUNK = 'data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}\n\n';

describe('messages over a provider that has chat completions only', () => {
  test('are sent as a chat and answered as a message', async () => {
    const { ask, calls, sentBody } = messagesGateway([chat('hi')]);
    const { status, text } = await ask({ provider: '@first' }, body);
    expect(calls[0]?.path).toBe('/v1/chat/completions');
    expect(sentBody(0)).toEqual({
      model: 'm',
      max_completion_tokens: 5,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'hello' },
      ],
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
    });
  });

  test('are streamed as the events of a message', async () => {
    const sse = `${chunk({ role: 'assistant', content: 'Hel' })}${chunk({ content: 'lo' })}${chunk({}, 'length')}${USAGE_CHUNK}data: [DONE]\n\n`;
    const { ask, sentBody } = messagesGateway([sse]);
    const text = await streamed(await ask({ provider: '@first' }, { ...body, stream: true }));
    expect(sentBody(0)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(text).toContain('"usage":{"output_tokens":3}');
    const events = text.split('\n\n').filter((event) => event !== '');
    expect(events.map((event) => /^event: (\w+)/.exec(event)?.[1])).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_delta'],
      ...['content_block_stop', 'message_delta', 'message_stop'],
    ]);
    const deltas = events.flatMap((event) => {
      const data: unknown = JSON.parse(event.slice(event.indexOf('data: ') + 6));
      return isObject(data) && isObject(data['delta']) ? [data['delta']['text'] ?? data['delta']['stop_reason']] : [];
    });
    expect(deltas).toEqual(['Hel', 'lo', 'max_tokens']);
  });

  test('are not cached: the cache stores what providers say in the format of the client', async () => {
    const { ask, calls } = messagesGateway([chat('hi')]);
    const config = { provider: '@first', cache: { mode: 'simple' } };
    expect((await ask(config, body)).cacheStatus).toBe('DISABLED');
    await ask(config, body);
    expect(calls).toHaveLength(2);
  });

  test('are refused when the adapter cannot say them', async () => {
    const { ask, calls } = messagesGateway([chat('hi')]);
    const outcome = await ask({ provider: '@first' }, { ...body, top_k: 1 });
    expect(outcome).toMatchObject({ status: 400, error: { code: 'PARAMETER_INVALID', param: 'top_k' } });
    expect(JSON.parse(outcome.text)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(calls).toHaveLength(0);
  });

  test('that answers no object are an invalid response', async () => {
    const { ask } = messagesGateway([[1]]);
    expect(await ask({ provider: '@first' }, body)).toMatchObject({ error: { code: 'UPSTREAM_INVALID_RESPONSE' } });
  });

  test('are not supported without an adapter', async () => {
    const { ask, calls } = messagesGateway([chat('hi')], []);
    const outcome = await ask({ provider: '@first' }, body);
    expect(outcome).toMatchObject({ status: 400, error: { code: 'OPERATION_UNSUPPORTED' } });
    expect(calls).toHaveLength(0);
  });
});

test('an adapter leaves alone a provider that offers the operation itself', async () => {
  const { ask, calls, sentBody } = messagesGateway([message('hi')]);
  const { text } = await ask({ provider: '@claude' }, body);
  expect(calls[0]?.path).toBe('/v1/messages');
  expect(sentBody(0)).toMatchObject({ system: 'Be short.', max_tokens: 5 });
  expect(JSON.parse(text)).toEqual(message('hi'));
});

test('a stream that a provider has in its own format alone is not adapted', async () => {
  const adapter: Adapter = { ...messagesOverChat, operation: 'createModelResponse', endpoint: 'messages' };
  const { ask } = gateway({
    operation: OPERATIONS.createModelResponse,
    adapters: [adapter],
    answers: ['event: message_start\ndata: {"type":"message_start"}\n\n'],
  });
  const outcome = await ask({ provider: '@claude' }, { max_tokens: 5, stream: true });
  expect(outcome).toMatchObject({ status: 400, error: { code: 'OPERATION_UNSUPPORTED' } });
});

describe('an adapter says in words of the client', () => {
  const ODD = { type: 'odd' };
  const named = (params: object): Adapter => ({
    ...messagesOverChat,
    operation: 'createModelResponse',
    adapt: (_, { has }) => ({
      ...messagesOverChat.adapt({}, { provider: 'p', model: 'm', now: () => 0, newId: (prefix) => prefix, has }),
      params: { messages: [{ role: 'user', content: 'Hi' }], ...params },
      dropped: ['top', 'own.seed'],
      nameOf: (param) => `own.${param}`,
      placeOf: (part) => (part === ODD ? 'input[0]' : undefined),
    }),
  });
  const asked = (params: object, config: object = {}) =>
    gateway({ operation: OPERATIONS.createModelResponse, adapters: [named(params)], answers: [message('hi')] }).ask({
      provider: '@claude',
      ...config,
    });

  test('what was left out, by itself and by the provider', async () => {
    expect(await asked({ seed: 7 })).toMatchObject({ status: 200, droppedParams: ['top', 'own.seed'] });
    expect(await asked({}, { unsupported_params: 'error' })).toMatchObject({
      error: { code: 'PARAMETER_UNSUPPORTED', param: 'top' },
    });
  });

  test('where a part is that the provider refuses', async () => {
    const audio = { type: 'input_audio' };
    const messages = [{ role: 'user', content: [audio] }];
    expect(await asked({ messages })).toMatchObject({ error: { code: 'CONTENT_UNSUPPORTED', param: 'messages' } });
    expect(await asked({ messages: [{ role: 'user', content: [ODD] }] })).toMatchObject({
      error: { code: 'CONTENT_UNSUPPORTED', param: 'input[0]' },
    });
  });
});

test('the usage of an adapted answer is that of the endpoint, whatever the adapter makes of it', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
  const { ask } = messagesGateway([{ ...chat('hi'), usage }]);
  const outcome = await ask({ provider: '@first' }, body);
  expect(outcome.text).not.toContain('usage');
  expect(outcome.counted).toMatchObject({ usage: { input: 5, output: 7, total: 12 }, estimated: false });
  const uncounted = await messagesGateway([chat('hi')]).ask({ provider: '@first' }, body);
  expect(uncounted.counted).toMatchObject({ estimated: true });
});

test('what guardrails have found is shown as the client takes it, although an adapter reads more', async () => {
  const hook = { 'default.contains': { words: ['x'], operator: 'none' } };
  const { ask } = messagesGateway([chat('hi')]);
  const config = { provider: '@first', output_guardrails: [hook] };
  expect((await ask(config, body)).text).not.toContain('hook_results');
  expect((await ask({ ...config, strict_open_ai_compliance: false }, body)).text).toContain('hook_results');
});

describe('a document that the provider takes in no form', () => {
  const url = 'https://example.test/a.pdf';
  test('of messages is refused by its place, and one by the id of an upload is sent', async () => {
    const { ask, calls, sentBody } = messagesGateway([chat('hi')], ADAPTERS);
    const document = (source: object): object => ({
      ...{ max_tokens: 5 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read it.' },
            { type: 'document', source },
          ],
        },
      ],
    });
    expect(await ask({ provider: '@first' }, document({ type: 'url', url }))).toMatchObject({
      status: 400,
      error: { code: 'CONTENT_UNSUPPORTED', param: 'messages[0].content[1]' },
    });
    expect(calls).toHaveLength(0);
    expect(await ask({ provider: '@first' }, document({ type: 'file', file_id: 'file-1' }))).toMatchObject({
      status: 200,
    });
    expect(sentBody(0)).toMatchObject({
      messages: [{ content: [{ type: 'text' }, { type: 'file', file: { file_id: 'file-1' } }] }],
    });
  });

  test.for(['file_url', 'file_id'])('of responses is refused by its place: %s', async (member) => {
    const { ask, calls } = gateway({
      operation: OPERATIONS.createModelResponse,
      adapters: ADAPTERS,
      answers: [chat('hi')],
    });
    const input = [{ role: 'user', content: [{ type: 'input_file', [member]: url }] }];
    expect(await ask({ provider: 'deepinfra', api_key: 'k' }, { input })).toMatchObject({
      status: 400,
      error: { code: 'CONTENT_UNSUPPORTED', param: 'input[0].content[0]' },
    });
    expect(calls).toHaveLength(0);
  });
});
