import { Portkey } from 'portkey-ai';
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

// Its headers begin with x-portkey-, which the gateway accepts as another prefix.
const clientOf = (apiKey) => new Portkey({ apiKey, baseURL: `${url}/v1`, provider: '@openai' });
const client = clientOf(key);
const model = 'gpt-4o-mini';
const messages = [{ role: 'user', content: QUESTION }];
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];
const ask = (asked, from = client) => from.chat.completions.create({ model: asked, messages });

await runChecks(['portkey-ai'], {
  unary: async () => {
    const answer = await ask(model);
    includes(answer.choices[0].message.content, QUESTION);
    const named = await client.chat.completions.create({
      model: '@anthropic/claude-sonnet-4-5',
      messages,
      max_tokens: 100,
    });
    includes(named.choices[0].message.content, QUESTION);
  },
  stream: async () => {
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? '';
    }
    includes(text, QUESTION);
  },
  tools: async () => {
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    equal(choices[0].message.tool_calls[0].function.name, 'get_weather');
  },
  embeddings: async () => {
    const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] });
    equal(data.length, 2);
  },
  models: async () => {
    const { data } = await client.models.list();
    ok(data.length > 0, 'expected models');
  },
  files: async () => {
    const file = await client.files.create({ file: new File(['{"a":1}\n'], 'a.jsonl'), purpose: 'batch' });
    equal(file.bytes, 8);
    equal((await client.files.retrieve(file.id)).filename, 'a.jsonl');
  },
  'error 401': async () => equal((await failure(() => ask(model, clientOf(wrongKey)))).status, 401),
  'error 400': async () => equal((await failure(() => ask('mock-fail-400'))).status, 400),
  'error 404': async () => equal((await failure(() => ask('mock-fail-404'))).status, 404),
  'error 429': async () => equal((await failureOfLimit(() => ask(model, clientOf(limitedKey)))).status, 429),
  cancel: async () => {
    const stream = await client.chat.completions.create({ model: ENDLESS, messages, stream: true });
    for await (const chunk of stream) {
      ok(chunk.choices, 'expected a chunk');
      break; // leaving the loop aborts the request
    }
  },
});
