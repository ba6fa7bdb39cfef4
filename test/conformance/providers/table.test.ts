import { describe, expect, test } from 'vitest';
import type { StreamItem } from '../../../gateway/src/providers/contract.ts';
import { openStream, readAnswer, readErrorFields } from '../../../gateway/src/providers/engine/index.ts';
import { TABLE } from '../../../gateway/src/providers/table/index.ts';
import { boundsOf, PLAIN_BODIES, ROW_CASES, ROWS, type RowCase, toExchange } from './rows.ts';
import { buildOutgoing, openSession, type Session } from './session.ts';
import { cut, decode, relay, splitPoints } from './streams.ts';

type Body = Record<string, unknown>;

async function sent(
  row: RowCase,
  body: Body,
): Promise<{ session: Session; request: Awaited<ReturnType<typeof buildOutgoing>> }> {
  const exchange = toExchange(row, body);
  const session = openSession(exchange);
  return { session, request: await buildOutgoing(exchange, session) };
}

const bodySent = async (row: RowCase, more: Body): Promise<Body> => {
  const { request } = await sent(row, { ...PLAIN_BODIES[row.operation], ...more });
  return JSON.parse(String(request.body)) as Body; // what was just written
};

/** The plain body as the row sends it, with more members beside it. */
function expected({ operation, want }: RowCase, more: Body = {}): Body {
  const plain = PLAIN_BODIES[operation];
  const body: Body = { ...plain, ...more };
  if (want.model_sent !== undefined) body['model'] = want.model_sent;
  const renamed = Object.entries(body).map(([name, value]) => [want.rename[name] ?? name, value]);
  const kept = Object.entries(Object.fromEntries(renamed)).filter(
    ([name]) => want.only === undefined || want.only.includes(name),
  );
  return { ...want.inject, ...Object.fromEntries(kept) };
}

test('the table and its expectations name the same providers', () => {
  const signed = 'sagemaker'; // its requests are signed and have fixtures of their own
  expect([...ROWS.keys(), signed].sort()).toEqual(TABLE.map(({ id }) => id).sort());
});

describe.for(ROW_CASES)('$name', (row) => {
  const { want } = row;

  test('goes to its URL with its credential and headers, the body as it came where nothing changes', async () => {
    const { session, request } = await sent(row, PLAIN_BODIES[row.operation]);
    expect(request.origin + request.path).toBe(want.url);
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', ...row.row.auth, ...row.row.headers });
    expect(JSON.parse(String(request.body))).toEqual(expected(row));
    const unchanged = JSON.stringify(expected(row)) === JSON.stringify(session.call.params);
    expect(request.body === session.rawBody).toBe(unchanged);
  });

  test('forwards what it does not know, drops and renames what it does', async () => {
    const dropped = Object.fromEntries(want.drop.map((name) => [name, 'dropped']));
    const renamed = Object.fromEntries(
      Object.keys(want.rename)
        .filter((name) => !(name in PLAIN_BODIES[row.operation]))
        .map((name) => [name, 7]),
    );
    const more = { x_unknown: { deep: true } };
    expect(await bodySent(row, { ...dropped, ...renamed, ...more })).toEqual(expected(row, { ...renamed, ...more }));
  });

  test.for(boundsOf(row))('keeps %s within %s and %s', async ([name, min, max]) => {
    const target = want.rename[name] ?? name;
    const gone = want.drop.includes(name);
    for (const [bound, beyond] of [
      [min, -1],
      [max, 1],
    ] as const) {
      if (bound === null) continue;
      expect((await bodySent(row, { [name]: bound + beyond }))[target]).toBe(gone ? undefined : bound);
      expect((await bodySent(row, { [name]: bound }))[target]).toBe(gone ? undefined : bound);
    }
  });

  test.for([undefined, '', 'gw-default'])('chooses no model for a call that names %j', async (model) => {
    const body = { ...PLAIN_BODIES[row.operation], model };
    const attempt = sent(row, body).then(({ request }) => (JSON.parse(String(request.body)) as Body)['model']);
    if (want.model_optional) await expect(attempt).resolves.toBe(model === 'gw-default' ? undefined : model);
    else await expect(attempt).rejects.toMatchObject({ code: 'MODEL_REQUIRED', param: 'model' });
  });

  test('reports errors in the normal form', () => {
    const { provider } = openSession(toExchange(row, {}));
    const body = Buffer.from('{"error":{"message":"boom","type":"t","param":"p","code":"c"}}');
    expect(readErrorFields(provider, { status: 400, headers: {} }, body)).toEqual({
      message: `${row.id} error: boom`,
      type: 't',
      param: 'p',
      code: 'c',
    });
  });
});

const CALLS = [{ id: 'call_a', type: 'function', function: { name: 'f', arguments: '{}' } }];
const USAGE = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  completion_tokens_details: { reasoning_tokens: 1 },
};
const MESSAGE = { role: 'assistant', content: 'Hello', reasoning_content: 'Hm', tool_calls: CALLS };

const answerFor = (operation: RowCase['operation']): Body => {
  const head = { id: 'a1', created: 1_700_000_000, model: 'm1', x_extra: [1] };
  if (operation === 'embed')
    return { object: 'list', data: [{ embedding: [0.5], index: 0 }], model: 'm1', usage: USAGE };
  const voice = operation === 'complete' ? { text: 'Hello' } : { message: MESSAGE };
  const choices = [{ index: 0, ...voice, logprobs: null, finish_reason: 'length' }];
  return { ...head, object: operation === 'complete' ? 'text_completion' : 'chat.completion', choices, usage: USAGE };
};

/** Rows whose answers have another shape show it in fixtures. */
const REWRITTEN: ReadonlySet<string> = new Set(['mistral-ai complete', 'nomic embed', 'voyage embed']);
const PASSING = ROW_CASES.filter(({ name }) => !REWRITTEN.has(name));

describe.for(PASSING)('the answer of $name', (row) => {
  const read = (strict: boolean): unknown => {
    const { provider, endpoint, call } = openSession({ ...toExchange(row, PLAIN_BODIES[row.operation]), strict });
    if (endpoint === undefined) throw new Error('no endpoint');
    const bytes = Buffer.from(JSON.stringify(answerFor(row.operation), null, 1));
    return JSON.parse(readAnswer(provider, endpoint, call, { head: { status: 200, headers: {} }, bytes }).toString());
  };

  test('keeps every member and gains the provider', () => {
    expect(read(true)).toEqual({ ...answerFor(row.operation), provider: row.id });
  });

  test('gains blocks for its reasoning when the client is not strict', () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Hello' },
    ];
    const want = answerFor(row.operation);
    if (row.operation === 'chatComplete') {
      want['choices'] = [
        { index: 0, message: { ...MESSAGE, content_blocks: blocks }, logprobs: null, finish_reason: 'length' },
      ];
    }
    expect(read(false)).toEqual({ ...want, provider: row.id });
  });
});

const STREAMING = PASSING.filter(({ operation }) => operation !== 'embed');

const chunksFor = (operation: RowCase['operation']): Body[] => {
  const complete = operation === 'complete';
  const object = complete ? 'text_completion' : 'chat.completion.chunk';
  const head = { id: 'a1', object, created: 1_700_000_000, model: 'm1', x_extra: '}"' };
  const voice = complete ? { text: 'Hello' } : { delta: { role: 'assistant', tool_calls: CALLS } };
  return [
    { ...head, choices: [], x_filter: true },
    { ...head, choices: [{ index: 0, ...voice, finish_reason: null }] },
    { ...head, choices: [{ index: 0, ...(complete ? { text: '' } : { delta: {} }), finish_reason: 'length' }] },
  ];
};

describe.for(STREAMING)('the stream of $name', (row) => {
  const chunks = chunksFor(row.operation);
  const tagged = chunks.map((chunk) => ({ ...chunk, provider: row.id }));
  const usageOnly = {
    id: 'a1',
    object: chunks[0]?.['object'],
    created: 1_700_000_000,
    model: 'm1',
    choices: [],
    usage: USAGE,
  };
  const events = (list: readonly Body[]): Buffer =>
    Buffer.from(`: ping\n\n${list.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}`);
  const open = (items: boolean): ReturnType<typeof openStream> => {
    const { provider, endpoint, call } = openSession({ ...toExchange(row, PLAIN_BODIES[row.operation]), stream: true });
    if (endpoint === undefined) throw new Error('no endpoint');
    return openStream(provider, endpoint, call, { items });
  };
  const bytes = events(chunks);

  test.runIf(open(false)?.kind === 'relay')('is tagged byte for byte, with the terminator it forgot', () => {
    for (const at of splitPoints(bytes.length)) {
      const opened = open(false);
      if (opened?.kind !== 'relay') throw new Error('decoded');
      expect(relay(opened, cut(bytes, at))).toBe(`${events(tagged)}data: [DONE]\n\n`);
    }
  });

  test('is decoded into its chunks and one usage', () => {
    const withUsage = Buffer.concat([events([...chunks, usageOnly]), Buffer.from('data: [DONE]\n\n')]);
    const end: StreamItem = {
      kind: 'chunk',
      data: {
        ...usageOnly,
        usage: undefined,
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        provider: row.id,
      },
    };
    for (const at of splitPoints(withUsage.length)) {
      const opened = open(true);
      if (opened?.kind !== 'decode') throw new Error('relayed');
      expect(decode(opened, cut(withUsage, at))).toEqual([
        ...tagged.map((data) => ({ kind: 'chunk', data })),
        ...(row.want.usage_ends ? [end] : []),
        { kind: 'usage', usage: USAGE },
      ]);
    }
  });
});

describe.for([...ROWS].filter(([, { models }]) => models !== undefined))('the models of %s', ([id, row]) => {
  test('are asked for at their URL', async () => {
    const exchange = {
      ...toExchange({ name: id, id, row, operation: 'chatComplete', want: NO_WANT }, {}),
      endpoint: 'listModels',
    };
    const request = await buildOutgoing(exchange, openSession(exchange));
    expect(request).toMatchObject({ method: 'GET', body: undefined, headers: row.auth });
    expect(request.origin + request.path).toBe(row.models);
    expect(request.headers).not.toHaveProperty('content-type');
  });
});

const NO_WANT: RowCase['want'] = {
  url: '',
  rename: {},
  drop: [],
  clamp: {},
  inject: {},
  model_optional: false,
  usage_ends: false,
};
