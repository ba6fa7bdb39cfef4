import { ApiError, GoogleGenAI } from '@google/genai';
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

// Gemini's own paths are proxied to the account that the header names.
const clientOf = (apiKey) =>
  new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: `${url}/v1/proxy`, headers: { 'x-gw-provider': '@google' } },
  });
const client = clientOf(key);
const model = 'gemini-2.5-flash';
const functionDeclarations = [
  {
    name: 'get_weather',
    parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const ask = (asked, from = client) => from.models.generateContent({ model: asked, contents: QUESTION });

await runChecks(['@google/genai'], {
  unary: async () => {
    const { text, usageMetadata } = await ask(model);
    includes(text, QUESTION);
    ok(usageMetadata.totalTokenCount > 0, 'expected usage');
    ok((await client.models.countTokens({ model, contents: QUESTION })).totalTokens > 0, 'expected a count');
  },
  stream: async () => {
    let text = '';
    for await (const chunk of await client.models.generateContentStream({ model, contents: QUESTION })) {
      text += chunk.text ?? '';
    }
    includes(text, QUESTION);
  },
  tools: async () => {
    const { functionCalls } = await client.models.generateContent({
      model,
      contents: QUESTION,
      config: { tools: [{ functionDeclarations }] },
    });
    equal(functionCalls[0].name, 'get_weather');
  },
  embeddings: async () => {
    const { embeddings } = await client.models.embedContent({
      model: 'gemini-embedding-001',
      contents: ['one', 'two'],
    });
    equal(embeddings.length, 2);
    ok(embeddings[0].values.length > 100, 'expected vectors');
  },
  models: async () => {
    const names = [];
    for await (const { name } of await client.models.list()) names.push(name);
    ok(names.length > 0 && names.every((name) => name.startsWith('models/')), 'expected models');
  },
  'error 401': async () => equal((await failure(() => ask(model, clientOf(wrongKey)), ApiError)).status, 401),
  'error 400': async () => equal((await failure(() => ask('mock-fail-400'), ApiError)).status, 400),
  'error 404': async () => {
    equal((await failure(() => client.models.get({ model: 'no-such-model' }), ApiError)).status, 404);
  },
  'error 429': async () => {
    equal((await failure(() => ask('mock-fail-429'), ApiError)).status, 429);
    equal((await failureOfLimit(() => ask(model, clientOf(limitedKey)), ApiError)).status, 429);
  },
  cancel: async () => {
    const controller = new AbortController();
    const run = async () => {
      const config = { abortSignal: controller.signal };
      const stream = await client.models.generateContentStream({ model: ENDLESS, contents: QUESTION, config });
      for await (const chunk of stream) if (chunk.text) controller.abort();
    };
    equal((await failure(run)).name, 'AbortError');
  },
});
