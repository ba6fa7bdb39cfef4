/** Providers that send anything at all: the client gets an answer or a cut connection, in time, and the process goes on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitFor } from '../kit/wait-for.ts';
import { runs } from './runs.ts';
import { setUpFuzzWorld } from './world.ts';

interface Script {
  readonly pieces: readonly Uint8Array[];
  readonly end: 'end' | 'reset' | 'hang';
}

/** What each request is answered with, by the number in its model. */
const scripts = new Map<string, Script>();
let next = 0;
const world = setUpFuzzWorld({
  env: { GATEHOUSE_LOG_LEVEL: 'silent' },
  aws: { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: 'wJalrXUtnFEMI' },
  answer: async ({ request, socket, write, reset }) => {
    const script = scripts.get(request.headers.get('x-script') ?? '');
    if (script === undefined) throw new Error('no script');
    for (const piece of script.pieces) await write(Buffer.from(piece));
    if (script.end === 'end') socket.end();
    if (script.end === 'reset') reset();
  },
});

const chunk = (text: string): Buffer => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
const head = fc.constantFrom(
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 500 No\r\n',
    'HTTP/1.1 204 None\r\n',
    'HTTP/1.1 103 Hints\r\n\r\n',
    'HTTP/1.1 999 X\r\n',
  ],
  ...['HTTP/1.1 304 Same\r\n', 'HTTP/1.1 20', 'SSH-2.0\r\n', 'HTTP/1.1 200 OK\r\nset-cookie: a\r\nset-cookie: b\r\n'],
);
const header = fc.constantFrom(
  ...['content-type: application/json\r\n', 'content-type: text/event-stream\r\n', 'transfer-encoding: chunked\r\n'],
  ...['content-type: application/vnd.amazon.eventstream\r\n', 'content-encoding: gzip\r\n', 'content-length: 20\r\n'],
  ...['connection: close\r\n', 'x-odd: \xff\xfe\r\n', ': empty\r\n', 'x-gw-trace-id: evil\r\n', 'retry-after: -1\r\n'],
);
const body = fc.oneof(
  fc.constantFrom('{}', '{"error":"x"}', '[1,2', 'null', '"text"', '<html>', '').map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      ...[
        'data: {"choices":[{"delta":{"content":"x"}}]}\n\n',
        'data: [DONE]\n\n',
        'data: {',
        'event: ping\ndata: {}\n\n',
      ],
      ...[
        'data: {"type":"message_start","message":{"usage":{}}}\n\n',
        'data: {"response":"x","tool_calls":[{"name":"f"}]}\n\n',
        'data: {"index":1,"message":{"role":"ASSISTANT","toolCalls":[{}]},"finishReason":"x"}\n\n',
        'data: null\n\n',
        'data: []\n\n',
        '\n\n',
        ': c\n\n',
      ],
      ...[
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
        'data: {"candidates":[{}]}\r\n\r\n',
      ],
      ...[
        'data: {"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}\n\n',
        'data: {"type":"content_block_delta"}\n\n',
      ],
    )
    .chain((text) => fc.constantFrom(chunk(text), Buffer.from(text))),
  fc.uint8Array({ maxLength: 60 }),
  fc.constant(Buffer.from('0\r\n\r\n')),
);
const script: fc.Arbitrary<Script> = fc.record({
  pieces: fc
    .tuple(head, fc.array(header, { maxLength: 3 }), fc.constantFrom('\r\n', ''), fc.array(body, { maxLength: 6 }))
    .map(([first, headers, blank, rest]) => [Buffer.from(first + headers.join('') + blank, 'latin1'), ...rest]),
  end: fc.constantFrom('end', 'end', 'reset', 'hang'),
});

const REQUESTS = [
  { path: '/v1/chat/completions', slugs: ['openai', 'anthropic', 'google', 'mistral-ai', 'cohere', 'bedrock'] },
  { path: '/v1/chat/completions', slugs: ['workers-ai', 'ai21', 'palm', 'reka-ai', 'bytez', 'oracle'] },
  { path: '/v1/messages', slugs: ['anthropic', 'bedrock', 'openai', 'google', 'cohere'] },
  { path: '/v1/responses', slugs: ['openai', 'anthropic', 'google', 'cohere', 'bedrock', 'mistral-ai'] },
  { path: '/v1/completions', slugs: ['openai', 'cohere', 'workers-ai', 'ai21', 'palm', 'triton'] },
  { path: '/v1/embeddings', slugs: ['openai', 'google', 'cohere', 'workers-ai', 'ai21', 'palm'] },
  { path: '/v1/models', slugs: ['openai', 'anthropic', 'google', 'workers-ai', 'palm'] },
  { path: '/v1/anything', slugs: ['openai', 'anthropic'] },
].flatMap(({ path, slugs }) => slugs.map((slug) => ({ path, slug })));

async function ask({ path, slug }: { path: string; slug: string }, given: Script, stream: boolean): Promise<number> {
  next += 1;
  scripts.set(String(next), given);
  const options = {
    headers: { 'x-gw-provider': `@${slug}`, 'x-gw-forward-headers': 'x-script', 'x-script': String(next) },
    ...(path === '/v1/models'
      ? {}
      : {
          body: {
            model: 'm',
            stream,
            input: 'x',
            ...(path === '/v1/responses' ? {} : { prompt: 'x' }), // of a response it is one that is stored
            max_tokens: 5,
            messages: [{ role: 'user', content: 'x' }],
          },
        }),
  };
  const status = await world.gateway.send(path, options).then(
    (answer) => answer.status,
    () => 0, // cut
  );
  scripts.delete(String(next));
  return status;
}

test('no provider can end the process, keep a request open, or cause an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...REQUESTS), script, fc.boolean()), { minLength: 1, maxLength: 12 }),
      async (batch) => {
        const before = await world.gateway.metric('gatehouse_errors_total', { code: 'INTERNAL' });
        const statuses = await Promise.all(batch.map(([request, given, stream]) => ask(request, given, stream)));
        for (const status of statuses) expect(status === 0 || status >= 200).toBe(true);
        await waitFor(async () => (await world.gateway.metric('gatehouse_requests_in_flight')) === 0);
        expect(await world.gateway.metric('gatehouse_errors_total', { code: 'INTERNAL' })).toBe(before);
        expect(world.crashes).toEqual([]);
      },
    ),
    { ...runs(12), interruptAfterTimeLimit: 500_000, markInterruptAsFailure: false },
  );
});
