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
/** At Cohere, and across providers. */
const model = '@cohere/command-a-03-2025';
const others = ['gpt-4o-mini', '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash'];
const messages = [{ role: 'user', content: QUESTION }];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ type: 'function', function: weather }];
const ask = (asked, from = client) => from.chat({ model: asked, messages });
const statusOf = async (call) => (await failure(call, CohereError)).statusCode;

const documents = [{ id: 'd1', data: { text: 'It is sunny in Paris' } }];

async function checkAnswer(asked) {
  const { message, finishReason, usage } = await ask(asked);
  includes(message.content[0].text, QUESTION);
  equal(finishReason, 'COMPLETE');
  ok(usage.tokens.outputTokens > 0, 'expected usage');
}

/** The events of a stream, by type. */
async function streamed(request) {
  const events = [];
  for await (const event of await client.chatStream({ messages, ...request })) events.push(event);
  return (type) => events.filter((event) => event.type === type);
}

async function checkStream(asked) {
  const of = await streamed({ model: asked });
  includes(
    of('content-delta').reduce((text, { delta }) => text + delta.message.content.text, ''),
    QUESTION,
  );
  const [end, ...more] = of('message-end');
  equal(more, []);
  ok(end.delta.usage.tokens.outputTokens > 0, 'expected usage at the end');
}

async function checkTools(asked) {
  const of = await streamed({ model: asked, tools });
  const [call] = of('tool-call-start').map(({ delta }) => delta.message.toolCalls);
  equal(call.function.name, 'get_weather');
  const input = of('tool-call-delta').map(({ delta }) => delta.message.toolCalls.function.arguments);
  equal(typeof JSON.parse(input.join('')).city, 'string');
  const { message } = await client.chat({ model: asked, messages, tools });
  const told = { role: 'tool', toolCallId: message.toolCalls[0].id, content: '18 degrees' };
  const answer = await client.chat({ model: asked, messages: [...messages, message, told], tools });
  includes(answer.message.content[0].text, '18 degrees');
  return { message, answer, of };
}

function checkCitation(citations, source) {
  equal(citations.length, 1);
  const [{ text, sources }] = citations;
  ok(text.length > 0, 'expected a cited text');
  equal([sources[0].type, sources[0].id], source);
}

async function checkEmbeddings(asked) {
  const common = { model: asked, texts: ['one', 'two'], inputType: 'search_document' };
  const { embeddings } = await client.embed({ ...common, embeddingTypes: ['float'] });
  equal(embeddings.float.length, 2);
  ok(embeddings.float[0].length > 100, 'expected vectors');
  return common;
}

await runChecks(['cohere-ai'], {
  unary: async () => {
    await checkAnswer(model);
    const { message } = await client.chat({ model, messages, documents });
    checkCitation(message.citations, ['document', 'd1']);
  },
  stream: async () => {
    await checkStream(model);
    const of = await streamed({ model, documents });
    checkCitation(
      of('citation-start').map(({ delta }) => delta.message.citations),
      ['document', 'd1'],
    );
  },
  tools: async () => {
    const { message, answer, of } = await checkTools(model);
    includes(message.toolPlan, 'get_weather');
    equal(
      of('tool-plan-delta').reduce((text, { delta }) => text + delta.message.toolPlan, ''),
      message.toolPlan,
    );
    checkCitation(answer.message.citations, ['tool', `${message.toolCalls[0].id}:0`]);
  },
  across: async () => {
    for (const asked of others) {
      await checkAnswer(asked);
      await checkStream(asked);
      await checkTools(asked);
    }
    await checkEmbeddings('text-embedding-3-small');
  },
  embeddings: async () => {
    const common = await checkEmbeddings('@cohere/embed-v4.0');
    const { embeddings } = await client.embed({ ...common, embeddingTypes: ['int8', 'ubinary'] });
    equal([embeddings.int8.length, embeddings.ubinary.length], [2, 2]);
  },
  rerank: async () => {
    const places = ['the weather in Rome', 'the weather in Paris'];
    const request = { model: '@cohere/rerank-v3.5', query: QUESTION, documents: places, topN: 1 };
    const { results } = await client.rerank(request);
    equal(results.length, 1);
    equal(results[0].index, 1);
  },
  'error 401': async () => equal(await statusOf(() => ask(model, clientOf(wrongKey))), 401),
  'error 400': async () => equal(await statusOf(() => ask('@cohere/mock-fail-400')), 400),
  'error 404': async () => equal(await statusOf(() => ask('@cohere/mock-fail-404')), 404),
  'error 429': async () => {
    equal(await statusOf(() => ask('@cohere/mock-fail-429')), 429);
    equal((await failureOfLimit(() => ask(model, clientOf(limitedKey)), CohereError)).statusCode, 429);
  },
  cancel: async () => {
    const controller = new AbortController();
    const run = async () => {
      const stream = await client.chatStream(
        { model: `@cohere/${ENDLESS}`, messages },
        { abortSignal: controller.signal },
      );
      for await (const { type } of stream) if (type === 'content-delta') controller.abort();
    };
    await failure(run);
  },
});
