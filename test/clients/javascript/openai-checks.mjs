/** What the SDKs of OpenAI check, whichever of their clients it is. */
import OpenAI, { toFile } from 'openai';
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
  SILENT,
  wrongKey,
} from './checks.mjs';

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
/** Files are kept by one provider: the config of the key, which has two, is not asked. */
const KEPT_BY_OPENAI = { headers: { 'x-gw-provider': '@openai' } };
/** One with the API of responses, and two whose providers have formats of their own. */
const responding = [model, '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash'];
const responseTools = [{ type: 'function', strict: false, ...tools[0].function }];
/** `clientOf`: an SDK of OpenAI with this key. */
export async function checkSdk(clientOf) {
  const client = clientOf(key);
  const ask = (asked, from = client) => from.chat.completions.create({ model: asked, messages });
  await runChecks(['openai'], {
    unary: async () => {
      const { choices, usage } = await ask(model);
      includes(choices[0].message.content, QUESTION);
      ok(usage.total_tokens > 0, 'expected usage');
      for (const asked of responding) {
        const response = await client.responses.create({ model: asked, input: QUESTION });
        includes(response.output_text, QUESTION);
        ok(response.usage.total_tokens > 0, `expected usage of ${asked}`);
      }
    },
    stream: async () => {
      const stream = await client.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      let usage;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
      }
      includes(text, QUESTION);
      ok(usage.total_tokens > 0, 'expected usage');
      for (const asked of responding) {
        const events = client.responses.stream({ model: asked, input: QUESTION });
        let written = '';
        events.on('response.output_text.delta', ({ delta }) => {
          written += delta;
        });
        const final = await events.finalResponse();
        includes(final.output_text, QUESTION);
        equal(final.output_text, written);
        ok(final.usage.total_tokens > 0, `expected usage of ${asked}`);
      }
    },
    tools: async () => {
      const asked = await client.chat.completions.create({ model, messages, tools });
      const [call] = asked.choices[0].message.tool_calls;
      equal(call.function.name, 'get_weather');
      ok('city' in JSON.parse(call.function.arguments), 'expected the argument');
      const result = { role: 'tool', tool_call_id: call.id, content: '18 degrees' };
      const told = [...messages, asked.choices[0].message, result];
      const told2 = await client.chat.completions.create({ model, messages: told, tools });
      includes(told2.choices[0].message.content, '18 degrees');
      const streamed = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
      equal(streamed.choices[0].message.tool_calls[0].function.name, 'get_weather');
      for (const model of responding) {
        const settings = { model, tools: responseTools };
        const input = [{ role: 'user', content: QUESTION }];
        const { output } = await client.responses.stream({ ...settings, input }).finalResponse();
        const used = output.find(({ type }) => type === 'function_call');
        equal(used.name, 'get_weather');
        ok('city' in JSON.parse(used.arguments), `expected the argument of ${model}`);
        const result = { type: 'function_call_output', call_id: used.call_id, output: '18 degrees' };
        const answered = await client.responses.create({ ...settings, input: [...input, ...output, result] });
        includes(answered.output_text, '18 degrees');
      }
    },
    embeddings: async () => {
      const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] });
      equal(data.length, 2);
      ok(data[0].embedding.length > 100 && data[0].embedding.every(Number.isFinite), 'expected vectors');
    },
    models: async () => {
      const ids = [];
      for await (const { id, object } of client.models.list()) {
        equal(object, 'model');
        ids.push(id);
      }
      ok(ids.length > 0, 'expected models');
    },
    files: async () => {
      const text = '{"a":1}\n';
      const upload = { file: await toFile(Buffer.from(text), 'a.jsonl'), purpose: 'batch' };
      const file = await client.files.create(upload, KEPT_BY_OPENAI);
      equal(file.bytes, text.length);
      equal((await client.files.retrieve(file.id, KEPT_BY_OPENAI)).filename, 'a.jsonl');
      equal(await (await client.files.content(file.id, KEPT_BY_OPENAI)).text(), text);
      const ids = [];
      for await (const { id } of client.files.list({}, KEPT_BY_OPENAI)) ids.push(id);
      ok(ids.includes(file.id), 'expected the file in the list');
      equal((await client.files.delete(file.id, KEPT_BY_OPENAI)).deleted, true);
    },
    moderations: async () => {
      const { results } = await client.moderations.create({ input: ['kind words', 'pure violence'] });
      equal(
        results.map(({ flagged }) => flagged),
        [false, true],
      );
    },
    images: async () => {
      const made = await client.images.generate({ model: 'gpt-image-1', prompt: 'a cat', n: 2 });
      equal(made.data.length, 2);
      ok(made.data[0].b64_json.length > 0, 'expected an image');
      const stream = await client.images.generate({ model: 'gpt-image-1', prompt: 'a cat', stream: true });
      const types = [];
      for await (const { type } of stream) types.push(type);
      equal(types, ['image_generation.completed']);
      const image = await toFile(Buffer.from('image'), 'a.png', { type: 'image/png' });
      const edited = await client.images.edit({ model: 'gpt-image-1', prompt: 'a hat', image });
      equal(edited.data.length, 1);
      equal((await client.images.createVariation({ image })).data.length, 1);
    },
    audio: async () => {
      const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello' });
      const sound = Buffer.from(await speech.arrayBuffer());
      ok(sound.length > 1_000, 'expected sound');
      const asked = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello', stream_format: 'sse' };
      includes(await (await client.audio.speech.create(asked)).text(), 'speech.audio.done');
      const recorded = async () => ({ model: 'whisper-1', file: await toFile(sound, 'a.mp3') });
      const { text } = await client.audio.transcriptions.create(await recorded());
      includes(text, `${sound.length} bytes`);
      const plain = await client.audio.transcriptions.create({ ...(await recorded()), response_format: 'text' });
      includes(plain, `${sound.length} bytes`);
      const events = await client.audio.transcriptions.create({ ...(await recorded()), stream: true });
      let last;
      for await (const event of events) last = event;
      equal(last.type, 'transcript.text.done');
      includes((await client.audio.translations.create(await recorded())).text, `${sound.length} bytes`);
    },
    'error 401': async () => {
      const error = await failure(() => ask(model, clientOf(wrongKey)), OpenAI.AuthenticationError);
      equal(error.status, 401);
      ok(error.headers.get('x-gw-trace-id'), 'expected the trace id');
    },
    'error 400': async () => {
      const error = await failure(() => ask('mock-fail-400'), OpenAI.BadRequestError);
      equal(error.status, 400);
      const broken = { headers: { 'x-gw-config': 'no-such-config' } };
      await failure(() => client.chat.completions.create({ model, messages }, broken), OpenAI.BadRequestError);
    },
    'error 404': async () => {
      await failure(() => client.files.retrieve('file-none', KEPT_BY_OPENAI), OpenAI.NotFoundError);
      await failure(() => client.models.retrieve('no-such-model'), OpenAI.NotFoundError);
    },
    'error 429': async () => {
      await failure(() => ask('mock-fail-429'), OpenAI.RateLimitError);
      const error = await failureOfLimit(() => ask(model, clientOf(limitedKey)), OpenAI.RateLimitError);
      positiveSeconds(error.headers.get('retry-after'));
    },
    cancel: async () => {
      const stream = await client.chat.completions.create({ model: ENDLESS, messages, stream: true });
      for await (const chunk of stream) {
        ok(chunk.choices, 'expected a chunk');
        break; // leaving the loop aborts the request
      }
      const controller = new AbortController();
      const running = client.chat.completions.create({ model: SILENT, messages }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      await failure(() => running, OpenAI.APIUserAbortError);
    },
  });
}
