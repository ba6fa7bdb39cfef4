import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, embedMany, generateText, jsonSchema, streamText, tool } from 'ai';
import {
  ENDLESS,
  equal,
  failure,
  failureOfLimit,
  includes,
  key,
  limitedKey,
  ok,
  positiveSeconds,
  QUESTION,
  runChecks,
  url,
  wrongKey,
} from './checks.mjs';

const openaiOf = (apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey });
const openai = openaiOf(key);
const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: key });
const model = openai.chat('gpt-4o-mini');
const models = [
  model,
  ...['gpt-4o-mini', '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash'].map((name) => openai.responses(name)),
  anthropic('claude-sonnet-4-5'),
];
const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  }),
};
const base = { prompt: QUESTION, maxRetries: 0 };
const quiet = { onError: () => {} };

await runChecks(['ai', '@ai-sdk/openai', '@ai-sdk/anthropic'], {
  unary: async () => {
    for (const asked of models) {
      const { text, usage } = await generateText({ ...base, model: asked });
      includes(text, QUESTION);
      ok(usage.outputTokens > 0, 'expected usage');
    }
  },
  stream: async () => {
    for (const asked of models) {
      const result = streamText({ ...base, ...quiet, model: asked });
      let text = '';
      for await (const delta of result.textStream) text += delta;
      includes(text, QUESTION);
      ok((await result.usage).outputTokens > 0, 'expected usage');
    }
  },
  tools: async () => {
    for (const asked of models) {
      const { toolCalls } = await generateText({ ...base, model: asked, tools });
      equal(toolCalls[0].toolName, 'get_weather');
      ok('city' in toolCalls[0].input, 'expected the argument');
    }
  },
  embeddings: async () => {
    const embedding = openai.textEmbeddingModel('text-embedding-3-small');
    const { embeddings } = await embedMany({ model: embedding, values: ['one', 'two'], maxRetries: 0 });
    equal(embeddings.length, 2);
    ok(embeddings[0].length > 100, 'expected vectors');
  },
  'error 401': async () => {
    const call = () => generateText({ ...base, model: openaiOf(wrongKey).chat('gpt-4o-mini') });
    equal((await failure(call, APICallError)).statusCode, 401);
  },
  'error 400': async () => {
    for (const asked of [openai.chat('mock-fail-400'), anthropic('mock-fail-400')]) {
      equal((await failure(() => generateText({ ...base, model: asked }), APICallError)).statusCode, 400);
    }
  },
  'error 404': async () => {
    const call = () => generateText({ ...base, model: openai.chat('mock-fail-404') });
    equal((await failure(call, APICallError)).statusCode, 404);
  },
  'error 429': async () => {
    const limited = openaiOf(limitedKey).chat('gpt-4o-mini');
    const error = await failureOfLimit(() => generateText({ ...base, model: limited }), APICallError);
    equal(error.statusCode, 429);
    equal(error.isRetryable, true);
    positiveSeconds(error.responseHeaders['retry-after']);
  },
  cancel: async () => {
    for (const asked of [openai.chat(ENDLESS), anthropic(ENDLESS)]) {
      const controller = new AbortController();
      const result = streamText({ ...base, ...quiet, model: asked, abortSignal: controller.signal });
      for await (const part of result.fullStream) if (part.type === 'text-delta') controller.abort();
    }
  },
});
