import { CohereClientV2, CohereError } from 'cohere-ai';
import {
  ENDLESS,
  equal,
  failure,
  failureOfLimit,
  includes,
  key,
  limitedKey,
  ok,
  QUESTION,
  runChecks,
  url,
  wrongKey,
} from './checks.mjs';

const clientOf = (token) => new CohereClientV2({ token, environment: url, maxRetries: 0 });
const client = clientOf(key);
const models = ['gpt-4o-mini', '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash'];
const [model] = models;
const messages = [{ role: 'user', content: QUESTION }];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ type: 'function', function: weather }];
const ask = (asked, from = client) => from.chat({ model: asked, messages });
const statusOf = async (call) => (await failure(call, CohereError)).statusCode;

await runChecks(['cohere-ai'], {
  unary: async () => {
    for (const asked of models) {
      const { message, finishReason, usage } = await ask(asked);
      includes(message.content[0].text, QUESTION);
      equal(finishReason, 'COMPLETE');
      ok(usage.tokens.outputTokens > 0, 'expected usage');
    }
  },
  stream: async () => {
    for (const asked of models) {
      let text = '';
      let last;
      for await (last of await client.chatStream({ model: asked, messages })) {
        if (last.type === 'content-delta') text += last.delta.message.content.text;
      }
      includes(text, QUESTION);
      equal(last.type, 'message-end');
      ok(last.delta.usage.tokens.outputTokens > 0, 'expected usage at the end');
    }
  },
  tools: async () => {
    for (const asked of models) {
      let call;
      let input = '';
      for await (const event of await client.chatStream({ model: asked, messages, tools })) {
        if (event.type === 'tool-call-start') call = event.delta.message.toolCalls;
        if (event.type === 'tool-call-delta') input += event.delta.message.toolCalls.function.arguments;
      }
      equal(call.function.name, 'get_weather');
      equal(typeof JSON.parse(input).city, 'string');
      const { message } = await client.chat({ model: asked, messages, tools });
      const told = { role: 'tool', toolCallId: message.toolCalls[0].id, content: '18 degrees' };
      const answer = await client.chat({ model: asked, messages: [...messages, message, told], tools });
      includes(answer.message.content[0].text, '18 degrees');
    }
  },
  embeddings: async () => {
    const { embeddings } = await client.embed({
      model: 'text-embedding-3-small',
      texts: ['one', 'two'],
      inputType: 'search_document',
      embeddingTypes: ['float'],
    });
    equal(embeddings.float.length, 2);
    ok(embeddings.float[0].length > 100, 'expected vectors');
  },
  rerank: async () => {
    const documents = ['the weather in Rome', 'the weather in Paris'];
    const { results } = await client.rerank({ model: '@cohere/rerank-v3.5', query: QUESTION, documents, topN: 1 });
    equal(results.length, 1);
    equal(results[0].index, 1);
  },
  'error 401': async () => equal(await statusOf(() => ask(model, clientOf(wrongKey))), 401),
  'error 400': async () => equal(await statusOf(() => ask('mock-fail-400')), 400),
  'error 404': async () => equal(await statusOf(() => ask('mock-fail-404')), 404),
  'error 429': async () => {
    equal(await statusOf(() => ask('mock-fail-429')), 429);
    equal((await failureOfLimit(() => ask(model, clientOf(limitedKey)), CohereError)).statusCode, 429);
  },
  cancel: async () => {
    const controller = new AbortController();
    const run = async () => {
      const stream = await client.chatStream({ model: ENDLESS, messages }, { abortSignal: controller.signal });
      for await (const { type } of stream) if (type === 'content-delta') controller.abort();
    };
    await failure(run);
  },
});
