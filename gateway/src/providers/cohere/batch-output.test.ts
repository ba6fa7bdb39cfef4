import { expect, test } from 'vitest';
import type { ProcedureRequest, ProcedureTools } from '../contract.ts';
import { sampleCall } from '../engine/testing.ts';
import { getBatchOutput } from './batch-output.ts';

async function requestsFor(url: string, baseUrl: string) {
  const opened: ProcedureRequest[] = [];
  const answers: Readonly<Record<string, object>> = {
    '/v1/embed-jobs/j': { job_id: 'j', status: 'complete', output_dataset_id: 'out' },
    '/v1/datasets/out': { dataset: { id: 'out', dataset_parts: [{ url }] } },
  };
  const tools = {
    baseUrl: () => baseUrl,
    ask: async (request: ProcedureRequest) => {
      const bytes = Buffer.from(JSON.stringify(answers[request.url.slice(baseUrl.length)]));
      return { status: 200, headers: {}, bytes };
    },
    open: async (request: ProcedureRequest) => {
      opened.push(request);
      return { status: 200, headers: {}, content: [] };
    },
  } as unknown as ProcedureTools; // what is read of them
  const call = sampleCall({ provider: 'cohere', endpoint: 'getBatchOutput', route: { batch_id: 'j' } });
  const error = await getBatchOutput.run(call, tools).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  return { opened, error };
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

test.for(['http://storage.example/a', 'ftp://storage.example/a', 'data:,x', 'https://a:b@storage.example/a', 'x', ''])(
  'a part at %j is not read',
  async (url) => {
    const { opened, error } = await requestsFor(url, BASE);
    expect(opened).toEqual([]);
    expect(error).toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE', message: expect.not.stringContaining('a:b') });
  },
);
