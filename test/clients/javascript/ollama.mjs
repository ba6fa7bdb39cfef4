import { Ollama } from 'ollama';
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

const clientOf = (apiKey) => new Ollama({ host: url, headers: { authorization: `Bearer ${apiKey}` } });
const client = clientOf(key);
const own = '@ollama/mock-small';
const models = ['gpt-4o-mini', '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash', own];
const [model] = models;
const messages = [{ role: 'user', content: QUESTION }];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ type: 'function', function: weather }];
const ask = (asked, from = client) => from.chat({ model: asked, messages });
const statusOf = async (call) => {
  const { name, status_code } = await failure(call);
  equal(name, 'ResponseError');
  return status_code;
};

await runChecks(['ollama'], {
  unary: async () => {
    for (const asked of models) {
      const { message, done_reason, eval_count } = await ask(asked);
      includes(message.content, QUESTION);
      equal(done_reason, 'stop');
      ok(eval_count > 0, 'expected usage');
      includes((await client.generate({ model: asked, prompt: QUESTION })).response, QUESTION);
    }
    ok((await client.version()).version, 'expected a version');
    const settings = { options: { num_ctx: 8192 }, keep_alive: '1m', think: true, logprobs: true };
    const answer = await client.chat({ model: own, messages, ...settings });
    ok(answer.message.thinking && answer.logprobs.length > 0, 'expected thinking and log probabilities');
    ok(answer.load_duration > 0 && answer.eval_duration > 0, 'expected the durations of the server');
    equal((await client.chat({ model: own, messages: [], keep_alive: 0 })).done_reason, 'unload');
  },
  stream: async () => {
    for (const asked of models) {
      let text = '';
      let last;
      for await (last of await client.chat({ model: asked, messages, stream: true })) text += last.message.content;
      includes(text, QUESTION);
      ok(last.done && last.eval_count > 0, 'expected usage at the end');
    }
    let thinking = '';
    for await (const { message } of await client.chat({ model: own, messages, think: 'low', stream: true }))
      thinking += message.thinking ?? '';
    includes(thinking, 'I am a mock');
  },
  tools: async () => {
    for (const asked of models) {
      const said = [];
      for await (const { message } of await client.chat({ model: asked, messages, tools, stream: true })) {
        if (message.tool_calls) said.push(message);
      }
      equal(said.length, 1, 'lines with calls');
      const [call] = said[0].tool_calls;
      equal(call.function.name, 'get_weather');
      equal(typeof call.function.arguments.city, 'string');
      const result = { role: 'tool', tool_name: 'get_weather', content: '18 degrees' };
      const answer = await client.chat({ model: asked, messages: [...messages, said[0], result], tools });
      includes(answer.message.content, '18 degrees');
    }
  },
  embeddings: async () => {
    const { embeddings } = await client.embed({ model: 'text-embedding-3-small', input: ['one', 'two'] });
    equal(embeddings.length, 2);
    ok(embeddings[0].length > 100, 'expected vectors');
    const asked = { input: 'one', dimensions: 8, truncate: false, options: { num_ctx: 512 } };
    equal((await client.embed({ model: '@ollama/mock-embedding', ...asked })).embeddings[0].length, 8);
  },
  models: async () => {
    const listed = (await client.list()).models;
    ok(listed.length > 0 && listed.every(({ name }) => name), 'expected models');
  },
  'error 401': async () => equal(await statusOf(() => ask(model, clientOf(wrongKey))), 401),
  'error 400': async () => equal(await statusOf(() => ask('mock-fail-400')), 400),
  'error 404': async () => equal(await statusOf(() => ask('mock-fail-404')), 404),
  'error 429': async () => {
    equal(await statusOf(() => ask('mock-fail-429')), 429);
    equal((await failureOfLimit(() => ask(model, clientOf(limitedKey)))).status_code, 429);
  },
  cancel: async () => {
    const run = async () => {
      const stream = await client.chat({ model: ENDLESS, messages, stream: true });
      for await (const { message } of stream) if (message.content) stream.abort();
    };
    equal((await failure(run)).name, 'AbortError');
  },
});
