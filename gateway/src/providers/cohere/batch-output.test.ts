import { embeddedFile } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import type { ProcedureRequest, ProcedureTools } from '../contract.ts';
import { sampleCall } from '../engine/testing.ts';
import { getBatchOutput } from './batch-output.ts';

const FILE = embeddedFile([1, 2, 3].map((at) => ({ custom_id: `row-${at}`, text: 'x', vector: [at] })));

async function requestsFor(url: string, baseUrl: string, file = FILE) {
  const opened: ProcedureRequest[] = [];
  const budget = createByteBudget(1 << 24);
  let isClosed = false;
  const pieces = async function* () {
    try {
      yield file;
    } finally {
      isClosed = true;
    }
  };
  const answers: Readonly<Record<string, object>> = {
    '/v1/embed-jobs/j': { job_id: 'j', status: 'complete', output_dataset_id: 'out' },
    '/v1/datasets/out': { dataset: { id: 'out', dataset_parts: [{ url }] } },
  };
  const tools = {
    memory: budget.open(),
    baseUrl: () => baseUrl,
    ask: async (request: ProcedureRequest) => {
      const bytes = Buffer.from(JSON.stringify(answers[request.url.slice(baseUrl.length)]));
      return { status: 200, headers: {}, bytes };
    },
    open: async (request: ProcedureRequest) => {
      opened.push(request);
      return { status: 200, headers: {}, content: pieces() };
    },
  } as unknown as ProcedureTools; // what is read of them
  const call = sampleCall({ provider: 'cohere', endpoint: 'getBatchOutput', route: { batch_id: 'j' } });
  const { result, error } = await getBatchOutput.run(call, tools).then(
    (good) => ({ result: good, error: undefined }),
    (refused: unknown) => ({ result: undefined, error: refused }),
  );
  const content = result?.kind === 'content' ? result.content : undefined;
  return { opened, error, content, left: () => ({ isClosed, bytes: budget.used }) };
}

const BASE = 'https://api.cohere.ai';

test.for([
  { url: 'https://storage.example/a?signature=s', base: BASE },
  { url: 'https://storage.example/a', base: 'http://own.example' },
  { url: 'http://storage.example/a', base: 'http://own.example' },
])('a part at $url is read without a credential for an account at $base', async ({ url, base }) => {
  const { opened, error } = await requestsFor(url, base);
  expect([opened, error]).toEqual([[{ method: 'GET', url, auth: 'none' }], undefined]);
});

test.for(['http://storage.example/a', 'ftp://storage.example/a', 'data:,x', 'https://a:b@storage.example/a', 'x'])(
  'a part at %j is not read',
  async (url) => {
    const { opened, error } = await requestsFor(url, BASE);
    expect(opened).toEqual([]);
    expect(error).toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE', message: expect.not.stringContaining('a:b') });
  },
);

test.for([0, 1, 2, 3])('a client that leaves after %i rows leaves nothing behind', async (count) => {
  const { content, left } = await requestsFor('https://storage.example/a', BASE);
  const rows = content?.[Symbol.asyncIterator]();
  expect(left()).toMatchObject({ isClosed: false });
  const ids: unknown[] = [];
  while (ids.length < count) ids.push(JSON.parse(String((await rows?.next())?.value)).custom_id);
  expect(ids).toEqual(['row-1', 'row-2', 'row-3'].slice(0, count));
  await rows?.return?.();
  expect(left()).toEqual({ isClosed: true, bytes: 0 });
  expect(await rows?.next()).toEqual({ done: true, value: undefined });
});

test('an output that stands for too much work ends with an error that names the row and the bound', async () => {
  const rows = Array.from({ length: 400 }, () => ({ custom_id: 'a', text: 'x'.repeat(60_000), vector: [1] }));
  const { content, left } = await requestsFor('https://storage.example/a', BASE, embeddedFile(rows, 'deflate', 1));
  let read = 0;
  const reading = (async () => {
    for await (const _ of content ?? []) read += 1;
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'UPSTREAM_INVALID_RESPONSE',
    message: expect.stringMatching(
      /behind row \d+: its files are unpacked to more than 16777216 bytes and 64 for each byte/,
    ),
  });
  expect(read).toBeGreaterThan(200);
  expect(left()).toEqual({ isClosed: true, bytes: 0 });
});
