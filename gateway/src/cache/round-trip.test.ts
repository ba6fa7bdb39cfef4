import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssembler } from './assemble/index.ts';
import type { StreamProtocol } from './protocol.ts';
import { replayAsStream } from './replay/index.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** Any text: long enough for several pieces, with pairs and lone halves of surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.tuple(fc.nat(505), fc.string({ unit: 'binary', maxLength: 600 })).map(([n, tail]) => 'x'.repeat(n) + tail),
  fc.nat(600).map((n) => `${'x'.repeat(n % 7)}${'😀'.repeat(n)}`),
  fc.constantFrom('\ud83d', `${'x'.repeat(499)}\ud83d`, `${'x'.repeat(499)}\ud83dx`),
);
const word = fc.string({ minLength: 1, maxLength: 12 });
const count = fc.nat(100_000);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const listOf = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
const object = fc.dictionary(word, fc.jsonValue(), { maxKeys: 3 });

const usage = fc.record({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  details: optional(object),
});
const toolCall = fc.oneof(
  fc.record({
    id: word,
    type: fc.constant('function'),
    function: fc.record({ name: word, arguments: text, thought_signature: optional(word) }),
  }),
  fc.record({ id: word, type: fc.constant('custom'), custom: fc.record({ name: word, input: text }) }),
);
const contentBlock = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: optional(text) }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: word }) }),
);
const blocksWithContent = listOf(contentBlock).map((content_blocks) => ({
  content_blocks,
  content: content_blocks.map((block) => ('text' in block ? block.text : '')).join(''),
}));
const content = fc.oneof(
  fc.record({ content: fc.option(text) }),
  fc.record({ content: fc.option(text), content_blocks: fc.array(contentBlock, { maxLength: 3 }) }),
  blocksWithContent,
);
const messageExtras = fc.record({
  refusal: optional(fc.option(text)),
  reasoning_content: optional(text),
  tool_calls: optional(fc.array(toolCall, { maxLength: 3 })),
  annotations: optional(fc.array(object, { maxLength: 2 })),
  audio: optional(fc.record({ id: word, data: text, transcript: text, expires_at: count })),
  function_call: optional(fc.record({ name: word, arguments: text })),
});
const logprobs = fc.constantFrom(undefined, null, { content: [{ token: 'a', logprob: -0.5 }], refusal: null });
const indexed = <T extends object>(choices: readonly T[]) => choices.map((choice, index) => ({ index, ...choice }));

const root = {
  id: word,
  created: count,
  model: word,
  provider: optional(word),
  system_fingerprint: optional(fc.option(word)),
  service_tier: optional(word),
  citations: optional(fc.array(word, { maxLength: 3 })),
  usage: optional(usage),
};

const chat = fc.record({
  ...root,
  object: fc.constant('chat.completion'),
  choices: listOf(
    fc.record({
      message: fc.tuple(content, messageExtras).map(([main, extras]) => ({ role: 'assistant', ...main, ...extras })),
      logprobs,
      finish_reason: fc.constantFrom('stop', 'length', 'tool_calls'),
      groundingMetadata: optional(object),
    }),
  ).map(indexed),
});

const completion = fc.record({
  ...root,
  object: fc.constant('text_completion'),
  choices: listOf(
    fc.record({
      text,
      logprobs: fc.constantFrom(undefined, null, { tokens: ['a'], token_logprobs: [-1], text_offset: [0] }),
      finish_reason: fc.constantFrom('stop', 'length'),
    }),
  ).map(indexed),
});

const messages = fc.record({
  id: word,
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: word,
  content: fc.array(
    fc.oneof(
      fc.record({
        type: fc.constant('text'),
        text,
        citations: optional(fc.option(fc.array(object, { maxLength: 2 }))),
      }),
      fc.record({ type: fc.constant('thinking'), thinking: text, signature: optional(text) }),
      fc.record({ type: fc.constant('redacted_thinking'), data: text }),
      fc.record({ type: fc.constant('tool_use'), id: word, name: word, input: object }),
      fc.record({ type: fc.constant('server_tool_use'), id: word, name: word, input: object }),
      fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: word, content: fc.array(object) }),
    ),
    { maxLength: 4 },
  ),
  stop_reason: fc.constantFrom('end_turn', 'max_tokens', 'tool_use', 'stop_sequence'),
  stop_sequence: optional(fc.option(word)),
  usage: fc.record({ input_tokens: count, output_tokens: count, cache_read_input_tokens: optional(fc.option(count)) }),
  container: optional(fc.option(object)),
});

const outputItem = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    id: word,
    role: fc.constant('assistant'),
    status: fc.constant('completed'),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('output_text'), text, annotations: fc.array(object, { maxLength: 2 }) }),
        fc.record({ type: fc.constant('refusal'), refusal: text }),
      ),
      { maxLength: 2 },
    ),
  }),
  fc.record({ type: fc.constant('function_call'), id: word, call_id: word, name: word, arguments: text }),
  fc.record({
    type: fc.constant('reasoning'),
    id: word,
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text }), { maxLength: 2 }),
    encrypted_content: optional(text),
  }),
  fc.record({ type: fc.constant('web_search_call'), id: word, status: fc.constant('completed'), action: object }),
);
const responses = fc.record({
  id: word,
  object: fc.constant('response'),
  created_at: count,
  status: fc.constantFrom('completed', 'incomplete'),
  model: word,
  output: fc.array(outputItem, { maxLength: 3 }),
  usage: optional(object),
  error: fc.constant(null),
});

const ANSWERS: Readonly<Record<StreamProtocol, fc.Arbitrary<object>>> = { chat, completion, messages, responses };
const PROTOCOLS = Object.keys(ANSWERS) as StreamProtocol[]; // the keys of the table above

const plain = (value: object): object => JSON.parse(JSON.stringify(value));

function assemble(protocol: StreamProtocol, pieces: readonly Uint8Array[], maxBytes = MAX_BYTES): object | undefined {
  const assembler = createAssembler(protocol, maxBytes);
  for (const piece of pieces) assembler.push(piece);
  return assembler.finish();
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

describe.for(PROTOCOLS)('a stored answer of %s', (protocol) => {
  const answer = ANSWERS[protocol].map(plain);

  test('comes back from its replay, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(), { maxLength: 10 }), (stored, cuts) => {
        const stream = Buffer.from(replayAsStream(protocol, stored, { includeUsage: true }).join(''));
        expect(assemble(protocol, split(stream, cuts))).toEqual(stored);
      }),
      { numRuns: 300 },
    );
  });

  test('does not come back when the stream stops before its last event', () => {
    fc.assert(
      fc.property(answer, fc.nat(), (stored, cut) => {
        const events = replayAsStream(protocol, stored, { includeUsage: true });
        const some = events.slice(0, cut % events.length).map((event) => Buffer.from(event));
        expect(assemble(protocol, some)).toBeUndefined();
      }),
    );
  });

  test('does not come back when it is larger than the bound', () => {
    fc.assert(
      fc.property(answer, (stored) => {
        const events = replayAsStream(protocol, stored, { includeUsage: true }).map((event) => Buffer.from(event));
        expect(assemble(protocol, events, 10)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe.for(PROTOCOLS)('bytes that claim to be a stream of %s', (protocol) => {
  test('never throw, and give an object or nothing', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}\n\n`),
      fc
        .record({ type: word, index: fc.jsonValue(), choices: fc.jsonValue(), delta: fc.jsonValue() })
        .map((value) => `data: ${JSON.stringify(value)}\n\n`),
      fc.constantFrom('data: [DONE]\n\n', 'event: error\n', 'data: {"type":"message_start","message":{}}\n\n'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const result = assemble(
          protocol,
          lines.map((item) => Buffer.from(item)),
        );
        expect(result === undefined || typeof result === 'object').toBe(true);
      }),
    );
  });

  test('replay of anything never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.dictionary(fc.constantFrom('choices', 'content', 'output', 'usage'), fc.jsonValue()),
          ANSWERS[protocol],
        ),
        (stored) => {
          expect(replayAsStream(protocol, stored, { includeUsage: false }).length).toBeGreaterThan(0);
        },
      ),
    );
  });
});
