import { ApiError } from '@google/genai';
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
  wrongKey,
} from './checks.mjs';

const functionDeclarations = [
  {
    name: 'get_weather',
    parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
/**
 * What the SDK of Google checks. `clientOf`: one with this key. `models`: asked one after the other; `isNative`: the paths of the
 * provider itself are called, which has more of them.
 */
export async function checkSdk({ clientOf, models, embedder, isNative }) {
  const client = clientOf(key);
  const [model] = models;
  const ask = (asked, from = client) => from.models.generateContent({ model: asked, contents: QUESTION });
  await runChecks(['@google/genai'], {
    unary: async () => {
      for (const asked of models) {
        const { text, usageMetadata } = await ask(asked);
        includes(text, QUESTION);
        ok(usageMetadata.totalTokenCount > 0, 'expected usage');
      }
      if (isNative)
        ok((await client.models.countTokens({ model, contents: QUESTION })).totalTokens > 0, 'expected a count');
    },
    stream: async () => {
      for (const asked of models) {
        let text = '';
        for await (const chunk of await client.models.generateContentStream({ model: asked, contents: QUESTION })) {
          text += chunk.text ?? '';
        }
        includes(text, QUESTION);
      }
    },
    tools: async () => {
      for (const asked of models) {
        const config = { tools: [{ functionDeclarations }] };
        const answer = await client.models.generateContent({ model: asked, contents: QUESTION, config });
        const [call] = answer.functionCalls;
        equal(call.name, 'get_weather');
        const result = { functionResponse: { id: call.id, name: call.name, response: { output: '18 degrees' } } };
        const told = [
          { role: 'user', parts: [{ text: QUESTION }] },
          answer.candidates[0].content,
          { role: 'user', parts: [result] },
        ];
        const { text } = await client.models.generateContent({ model: asked, contents: told, config });
        includes(text, '18 degrees');
      }
    },
    embeddings: async () => {
      const { embeddings } = await client.models.embedContent({
        model: embedder,
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
}
