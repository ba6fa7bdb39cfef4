import Anthropic, { toFile } from '@anthropic-ai/sdk';
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

const clientOf = (apiKey) => new Anthropic({ baseURL: url, apiKey, maxRetries: 0, logLevel: 'off' });
const client = clientOf(key);
// Paths that several vendors have go to the provider that a header names.
const anthropic = { headers: { 'x-gw-provider': '@anthropic' } };
const model = 'claude-sonnet-4-5';
const messages = [{ role: 'user', content: QUESTION }];
const tools = [
  {
    name: 'get_weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const ask = (asked, from = client) => from.messages.create({ model: asked, messages, max_tokens: 100 });

await runChecks(['@anthropic-ai/sdk'], {
  unary: async () => {
    const { content, usage, stop_reason } = await ask(model);
    includes(content[0].text, QUESTION);
    equal(stop_reason, 'end_turn');
    ok(usage.output_tokens > 0, 'expected usage');
    ok((await client.messages.countTokens({ model, messages })).input_tokens > 0, 'expected a count');
  },
  stream: async () => {
    const stream = client.messages.stream({ model, messages, max_tokens: 100 });
    includes(await stream.finalText(), QUESTION);
    ok((await stream.finalMessage()).usage.output_tokens > 0, 'expected usage');
  },
  tools: async () => {
    const asked = await client.messages.create({ model, messages, max_tokens: 100, tools });
    const call = asked.content.find(({ type }) => type === 'tool_use');
    equal(call.name, 'get_weather');
    const told = [
      ...messages,
      { role: 'assistant', content: asked.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '18 degrees' }] },
    ];
    const answer = await client.messages.create({ model, messages: told, max_tokens: 100, tools });
    includes(answer.content[0].text, '18 degrees');
  },
  across: async () => {
    const other = { model: '@openai/gpt-4o-mini', max_tokens: 100, tools };
    const asked = await client.messages.stream({ ...other, messages }).finalMessage();
    equal(asked.stop_reason, 'tool_use');
    const call = asked.content.find(({ type }) => type === 'tool_use');
    equal(call.name, 'get_weather');
    equal(typeof call.input.city, 'string');
    const told = [
      ...messages,
      { role: 'assistant', content: asked.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '18 degrees' }] },
    ];
    const stream = client.messages.stream({ ...other, messages: told });
    includes(await stream.finalText(), '18 degrees');
    const { stop_reason, usage } = await stream.finalMessage();
    equal(stop_reason, 'end_turn');
    ok(usage.input_tokens > 0 && usage.output_tokens > 0, 'expected usage');
  },
  models: async () => {
    const names = [];
    for await (const { type, display_name } of client.models.list({}, anthropic)) {
      equal(type, 'model');
      names.push(display_name);
    }
    ok(names.length > 0 && names.every(Boolean), 'expected names');
  },
  files: async () => {
    const file = await toFile(Buffer.from('Hello'), 'a.txt', { type: 'text/plain' });
    const stored = await client.beta.files.upload({ file }, anthropic);
    equal(stored.size_bytes, 5);
    equal(await (await client.beta.files.download(stored.id, {}, anthropic)).text(), 'Hello');
    await client.beta.files.delete(stored.id, {}, anthropic);
  },
  'error 401': async () => {
    const error = await failure(() => ask(model, clientOf(wrongKey)), Anthropic.AuthenticationError);
    equal(error.error.error.type, 'authentication_error');
  },
  'error 400': async () => {
    const error = await failure(() => ask('mock-fail-400'), Anthropic.BadRequestError);
    equal(error.error.error.type, 'invalid_request_error');
  },
  'error 404': async () => {
    const error = await failure(() => client.models.retrieve('no-such-model', {}, anthropic), Anthropic.NotFoundError);
    equal(error.error.error.type, 'not_found_error');
  },
  'error 429': async () => {
    await failure(() => ask('mock-fail-429'), Anthropic.RateLimitError);
    const error = await failureOfLimit(() => ask(model, clientOf(limitedKey)), Anthropic.RateLimitError);
    equal(error.error.error.type, 'rate_limit_error');
    positiveSeconds(error.headers.get('retry-after'));
  },
  cancel: async () => {
    const stream = await client.messages.create({ model: ENDLESS, messages, max_tokens: 1_000, stream: true });
    for await (const event of stream) {
      ok(event.type, 'expected an event');
      break; // leaving the loop aborts the request
    }
  },
});
