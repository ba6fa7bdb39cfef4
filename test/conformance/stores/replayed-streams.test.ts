import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { replayAsStream, type StreamProtocol } from '../../../gateway/src/cache/index.ts';

/** The unmodified clients of the vendors read what the cache replays. */
function clientOptions(protocol: StreamProtocol, stored: object) {
  const events = replayAsStream(protocol, stored, { includeUsage: true });
  const headers = { 'content-type': 'text/event-stream' };
  return {
    apiKey: 'unused',
    baseURL: 'http://gateway.invalid/v1',
    maxRetries: 0,
    fetch: async () => new Response(events.join(''), { headers }),
  };
}

const LONG = 'A longer text with 😀. '.repeat(60);

describe('replayed streams in the clients of the vendors', () => {
  test('OpenAI chat completions: text, two choices, tool calls, usage', async () => {
    const call = (id: string, name: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{"city":"Ulm"}' },
    });
    const stored = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: LONG, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
        {
          index: 1,
          message: { role: 'assistant', content: null, tool_calls: [call('t1', 'weather'), call('t2', 'time')] },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    };
    const client = new OpenAI(clientOptions('chat', stored));
    const stream = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    expect(await stream.finalChatCompletion()).toMatchObject(stored);
  });

  test('OpenAI text completions', async () => {
    const stored = {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1_760_000_000,
      model: 'm',
      choices: [{ index: 0, text: LONG, logprobs: null, finish_reason: 'length' }],
    };
    const client = new OpenAI(clientOptions('completion', stored));
    const stream = await client.completions.create({ model: 'm', prompt: 'hi', stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe(LONG);
  });

  test('OpenAI responses: reasoning, text, a function call', async () => {
    const stored = {
      id: 'resp_1',
      object: 'response',
      created_at: 1_760_000_000,
      status: 'completed',
      model: 'm',
      error: null,
      incomplete_details: null,
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Thinking' }] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: LONG, annotations: [], logprobs: [] }],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' },
      ],
      usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
    };
    const client = new OpenAI(clientOptions('responses', stored));
    const stream = client.responses.stream({ model: 'm', input: 'hi' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    expect(await stream.finalResponse()).toMatchObject(stored);
    expect(text).toBe(LONG);
  });

  test('Anthropic messages: thinking, text, a tool call', async () => {
    const stored = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Let me see', signature: 'c2ln' },
        { type: 'text', text: LONG },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Ulm', days: [1, 2] } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 5 },
    };
    const client = new Anthropic(clientOptions('messages', stored));
    const stream = client.messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
    expect(await stream.finalMessage()).toMatchObject(stored);
  });
});
