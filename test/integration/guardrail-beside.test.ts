/** Guardrails of answers on what stands beside their text: docs/behaviour/guardrails.md#which-texts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, key, provider, workspace } from '../kit/snapshot.ts';

interface Wire {
  readonly name: string;
  readonly account: string;
  readonly path: string;
  /** What the provider says, with SECRET in all that is no text of the model. */
  readonly answer: object;
  readonly events: readonly object[];
}

const CITATION = { type: 'char_location', cited_text: 'of SECRET', document_title: 'SECRET', document_index: 0 };
const CALL = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'print("SECRET")' } };
const RESULT = {
  type: 'code_execution_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: { type: 'code_execution_result', stdout: 'SECRET\n', stderr: 'SECRET', return_code: 0, content: [] },
};
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_2',
  content: [{ type: 'web_search_result', url: 'https://a.test/SECRET', title: 'SECRET', encrypted_content: 'kept' }],
};
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const block = (index: number, content_block: object, deltas: readonly object[] = []) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const ANTHROPIC = {
  answer: {
    ...MESSAGE,
    content: [CALL, RESULT, FOUND, { type: 'text', text: 'Fine', citations: [CITATION, CITATION] }],
    stop_reason: 'end_turn',
  },
  events: [
    { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
    ...block(0, { ...CALL, input: {} }, [
      { type: 'input_json_delta', partial_json: '{"code":"print(\\"SEC' },
      { type: 'input_json_delta', partial_json: 'RET\\")"}' },
    ]),
    ...block(1, RESULT),
    ...block(2, FOUND),
    ...block(3, { type: 'text', text: '', citations: [] }, [
      { type: 'text_delta', text: 'Fine' },
      { type: 'citations_delta', citation: CITATION },
      { type: 'citations_delta', citation: CITATION },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
};

const CODE = {
  type: 'code_interpreter_call',
  id: 'ci_1',
  status: 'completed',
  code: 'print("SECRET")',
  container_id: 'cntr_1',
  outputs: [{ type: 'logs', logs: 'SECRET' }],
};
const SEARCH = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'SECRET' },
};
const FILES = {
  type: 'file_search_call',
  id: 'fs_1',
  status: 'completed',
  queries: ['SECRET'],
  results: [{ text: 'SECRET' }],
};
const MCP = {
  type: 'mcp_call',
  id: 'mcp_1',
  name: 'f',
  server_label: 's',
  arguments: '{"a":"SECRET"}',
  output: 'SECRET',
};
const ANNOTATION = {
  type: 'url_citation',
  url: 'https://a.test/SECRET',
  title: 'SECRET',
  start_index: 0,
  end_index: 4,
};
const PART = { type: 'output_text', text: 'Fine', annotations: [ANNOTATION] };
const SAID = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [PART] };
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  model: 'm',
  status: 'completed',
  output: [CODE, SEARCH, FILES, MCP, SAID],
};
const at = { item_id: 'msg_1', output_index: 4, content_index: 0 };
const item = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const RESPONSE_EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.code_interpreter_call_code.delta', output_index: 0, item_id: 'ci_1', delta: 'print("SEC' },
  { type: 'response.code_interpreter_call_code.delta', output_index: 0, item_id: 'ci_1', delta: 'RET")' },
  { type: 'response.code_interpreter_call_code.done', output_index: 0, item_id: 'ci_1', code: CODE.code },
  item(0, CODE),
  item(1, SEARCH),
  item(2, FILES),
  { type: 'response.mcp_call_arguments.delta', output_index: 3, item_id: 'mcp_1', delta: '{"a":"SEC' },
  { type: 'response.mcp_call_arguments.delta', output_index: 3, item_id: 'mcp_1', delta: 'RET"}' },
  { type: 'response.mcp_call_arguments.done', output_index: 3, item_id: 'mcp_1', arguments: MCP.arguments },
  item(3, MCP),
  { type: 'response.output_text.delta', ...at, delta: 'Fine' },
  { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation: ANNOTATION },
  { type: 'response.output_text.done', ...at, text: 'Fine' },
  { type: 'response.content_part.done', ...at, part: PART },
  item(4, SAID),
  { type: 'response.completed', response: RESPONSE },
];

/** Thoughts that the model has signed: summaries in responses. */
const THOUGHT = {
  answer: {
    ...MESSAGE,
    content: [
      { type: 'thinking', thinking: 'I see SECRET', signature: 'c2ln' },
      { type: 'text', text: 'Fine' },
    ],
    stop_reason: 'end_turn',
  },
  events: [
    { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: 'I see SEC' },
      { type: 'thinking_delta', thinking: 'RET' },
      { type: 'signature_delta', signature: 'c2ln' },
    ]),
    ...block(1, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'Fine' }]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
};

const QUOTE = {
  start: 0,
  end: 4,
  text: 'SECRET',
  sources: [{ type: 'document', id: 'doc:0', document: { id: 'doc:0', snippet: 'SECRET' } }],
};
const COHERE_EVENTS = [
  { id: 'c1', type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: 'Fine' } } } },
  { type: 'citation-start', index: 0, delta: { message: { citations: QUOTE } } },
  { type: 'citation-end', index: 0 },
  { type: 'content-end', index: 0 },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
];

const CANDIDATE = {
  content: { role: 'model', parts: [{ text: 'Fine' }] },
  finishReason: 'STOP',
  index: 0,
  groundingMetadata: {
    webSearchQueries: ['SECRET'],
    searchEntryPoint: { renderedContent: '<p>SECRET</p>', sdkBlob: 'kept' },
    groundingChunks: [{ web: { uri: 'https://a.test/SECRET', title: 'SECRET' } }],
    groundingSupports: [{ segment: { startIndex: 0, endIndex: 4, text: 'SECRET' }, groundingChunkIndices: [0] }],
  },
  citationMetadata: { citationSources: [{ uri: 'https://a.test/SECRET' }] },
};

const chat = (message: object, finish_reason: string | null) => ({ index: 0, ...message, finish_reason });
const ANNOTATIONS = [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'SECRET' } }];
const OPENAI = {
  answer: {
    id: 'c1',
    object: 'chat.completion',
    choices: [chat({ message: { role: 'assistant', content: 'Fine', annotations: ANNOTATIONS } }, 'stop')],
  },
  events: [
    {
      id: 'c1',
      object: 'chat.completion.chunk',
      choices: [chat({ delta: { role: 'assistant', content: 'Fine' } }, null)],
    },
    { id: 'c1', object: 'chat.completion.chunk', choices: [chat({ delta: { annotations: ANNOTATIONS } }, null)] },
    { id: 'c1', object: 'chat.completion.chunk', choices: [chat({ delta: {} }, 'stop')] },
  ],
};
const GEMINI = { answer: { candidates: [CANDIDATE] }, events: [{ candidates: [CANDIDATE] }] };
const COHERE = {
  answer: {
    id: 'c1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Fine' }], citations: [QUOTE] },
  },
  events: COHERE_EVENTS,
};

const CHAT = '/v1/chat/completions';
const WIRES: readonly Wire[] = [
  { name: 'messages of Anthropic', account: 'anthropic', path: '/v1/messages', ...ANTHROPIC },
  { name: 'chats over Anthropic', account: 'anthropic', path: CHAT, ...ANTHROPIC },
  { name: 'responses of OpenAI', account: 'openai', path: '/v1/responses', answer: RESPONSE, events: RESPONSE_EVENTS },
  { name: 'responses over Anthropic', account: 'anthropic', path: '/v1/responses', ...THOUGHT },
  { name: 'responses over OpenAI', account: 'mistral', path: '/v1/responses', ...OPENAI },
  { name: 'chats of OpenAI', account: 'openai', path: CHAT, ...OPENAI },
  { name: 'chats over Cohere', account: 'cohere', path: CHAT, ...COHERE },
  { name: 'chats over Gemini', account: 'gemini', path: CHAT, ...GEMINI },
  { name: "Cohere's chat", account: 'cohere', path: '/v2/chat', ...COHERE },
  { name: "Gemini's API", account: 'gemini', path: '/v1beta/models/m:generateContent', ...GEMINI },
];

const REPLACE = [{ id: 'default.regexReplace', parameters: { rule: 'SE[C]RET', redactText: '[gone]' } }];
const DENY = [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }];
const GUARDRAILS = ['replace', 'replace-held', 'replace-windows', 'deny', 'deny-held', 'deny-windows', 'none'];
const ACCOUNTS = ['anthropic', 'openai', 'mistral', 'cohere', 'gemini'];

let upstream: RawUpstream;
let said: Pick<Wire, 'answer' | 'events'> = OPENAI;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startRawUpstream(async ({ request, answer }) => {
    const isStream = String(await request.body).includes('"stream":true') || request.target.includes(':stream');
    const events = said.events.map((event) => {
      const name = 'type' in event ? `event: ${event.type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    });
    const end = 'choices' in said.answer ? 'data: [DONE]\n\n' : '';
    await answer(200, isStream ? events.join('') + end : JSON.stringify(said.answer), {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
  });
  gateway = await startGateway({
    entries: [
      workspace(),
      key(),
      provider('anthropic', { provider: 'anthropic', customHost: `${upstream.url}/v1` }),
      provider('openai', { customHost: `${upstream.url}/v1` }),
      provider('mistral', { provider: 'mistral-ai', customHost: `${upstream.url}/v1` }),
      provider('cohere', { provider: 'cohere', customHost: upstream.url }),
      provider('gemini', { provider: 'google', customHost: upstream.url }),
      guardrail('replace', REPLACE, { deny: false }),
      guardrail('replace-held', REPLACE, { deny: false, buffer: true }),
      guardrail('replace-windows', REPLACE, { deny: false, window: 50 }),
      guardrail('deny', DENY),
      guardrail('deny-held', DENY, { buffer: true }),
      guardrail('deny-windows', DENY, { window: 50 }),
      ...ACCOUNTS.flatMap((account) =>
        GUARDRAILS.map((name) =>
          config(`${account}-${name}`, {
            provider: `@${account}`,
            ...(name === 'none' ? {} : { output_guardrails: [name] }),
          }),
        ),
      ),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(() => {
  said = OPENAI;
});

function ask({ account, path, answer, events }: Wire, name: string, stream: boolean) {
  said = { answer, events };
  const messages = [{ role: 'user', content: 'Hi' }];
  const google = path.startsWith('/v1beta');
  const body = google
    ? { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
    : {
        model: 'm',
        stream,
        ...(path === '/v1/responses'
          ? { input: 'Hi', include: ['reasoning.encrypted_content'] }
          : { messages, max_tokens: 9 }),
      };
  return gateway.send(google && stream ? path.replace(':generate', ':streamGenerate').concat('?alt=sse') : path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gw-config': `${account}-${name}`,
      'x-gw-strict-open-ai-compliance': 'false',
    },
    body: JSON.stringify(body),
  });
}

const countOf = (text: string, word: string): number => text.split(word).length - 1;

describe.for(WIRES)('guardrails look beside the text of $name', (wire) => {
  test.for([
    ['replace', false],
    ['replace-held', true],
    ['replace-windows', true],
  ] as const)('and change it there: %s', async ([name, stream]) => {
    const plain = await ask(wire, 'none', stream);
    expect(plain.status, plain.text).toBe(200);
    expect(plain.text).toMatch(/SEC(RET)?/);
    const { status, text } = await ask(wire, name, stream);
    expect(status, text).toBe(200);
    expect(text).not.toContain('SEC');
    expect(text).toContain('[gone]');
    for (const word of ['Fine', 'kept']) expect(text.includes(word), word).toBe(plain.text.includes(word));
    if (!stream) expect(countOf(text, '[gone]')).toBe(countOf(plain.text, 'SECRET'));
  });

  test.for([
    ['deny', false],
    ['deny-held', true],
  ] as const)('and deny it: %s', async ([name, stream]) => {
    const { status, text } = await ask(wire, name, stream);
    expect([status, text]).toEqual([446, expect.not.stringContaining('SEC')]);
  });

  test('and deny it in windows', async () => {
    const { text } = await ask(wire, 'deny-windows', true);
    expect(text).not.toContain('SECRET');
    expect(text).not.toMatch(/message_stop|response\.completed|\[DONE\]|"finish_?[rR]eason":"(?:stop|STOP|COMPLETE)"/);
  });
});

test.for([
  ['replace', false],
  ['replace-held', true],
  ['replace-windows', true],
] as const)('a summary that is changed has no signature: %s', async ([name, stream]) => {
  const wire = { name: '', account: 'anthropic', path: '/v1/responses', ...THOUGHT };
  expect((await ask(wire, 'none', stream)).text).toContain('"gatehouse.signed.');
  const { text } = await ask(wire, name, stream);
  expect(text).toContain('I see [gone]');
  expect(text).not.toContain('gatehouse.signed');
});
