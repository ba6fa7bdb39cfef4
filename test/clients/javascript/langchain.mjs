import { ChatAnthropic } from '@langchain/anthropic';
import { ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
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

const openai = (model, apiKey = key) =>
  new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1`, logLevel: 'off' } });
const anthropic = (model) =>
  new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: url, maxRetries: 0, maxTokens: 1_000 });
const chats = [openai('gpt-4o-mini'), anthropic('claude-sonnet-4-5')];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

await runChecks(['@langchain/core', '@langchain/openai', '@langchain/anthropic'], {
  unary: async () => {
    for (const chat of chats) {
      const { text, usage_metadata } = await chat.invoke(QUESTION);
      includes(text, QUESTION);
      ok(usage_metadata.total_tokens > 0, 'expected usage');
    }
  },
  stream: async () => {
    for (const chat of chats) {
      let text = '';
      for await (const chunk of await chat.stream(QUESTION)) text += chunk.text;
      includes(text, QUESTION);
    }
  },
  tools: async () => {
    for (const chat of chats) {
      const bound = chat.bindTools([weather]);
      const asked = await bound.invoke(QUESTION);
      const [call] = asked.tool_calls;
      equal(call.name, 'get_weather');
      const result = new ToolMessage({ tool_call_id: call.id, content: '18 degrees' });
      includes((await bound.invoke([{ role: 'user', content: QUESTION }, asked, result])).text, '18 degrees');
    }
  },
  embeddings: async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'text-embedding-3-small',
      apiKey: key,
      maxRetries: 0,
      configuration: { baseURL: `${url}/v1` },
    });
    equal((await embeddings.embedDocuments(['one', 'two'])).length, 2);
  },
  'error 401': async () => equal((await failure(() => openai('gpt-4o-mini', wrongKey).invoke(QUESTION))).status, 401),
  'error 400': async () => {
    for (const chat of [openai('mock-fail-400'), anthropic('mock-fail-400')]) {
      equal((await failure(() => chat.invoke(QUESTION))).status, 400);
    }
  },
  'error 404': async () => equal((await failure(() => openai('mock-fail-404').invoke(QUESTION))).status, 404),
  'error 429': async () => {
    const limited = openai('gpt-4o-mini', limitedKey);
    equal((await failureOfLimit(() => limited.invoke(QUESTION))).status, 429);
  },
  cancel: async () => {
    for (const chat of [openai(ENDLESS), anthropic(ENDLESS)]) {
      const controller = new AbortController();
      const run = async () => {
        const stream = await chat.stream(QUESTION, { signal: controller.signal });
        for await (const chunk of stream) if (chunk.text) controller.abort();
      };
      await failure(run);
    }
  },
});
