/** Documents of the request log in a bucket: written by a gateway, read by the management API, while the bucket fails and works again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Caller,
  createDatabase,
  openLogObjects,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { CREDENTIALS, REGION, type S3Server, startS3 } from '../../conformance/batches/s3-server.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type PostgresServer, startPostgres, unwrap } from '../../kit/index.ts';
import { waitFor } from '../../kit/wait-for.ts';

const reader = (over: Partial<Caller> = {}): Caller => ({
  ...{ keyId: 'key//admin', keyName: 'admin', type: 'organisation-service', workspace: undefined, user: undefined },
  ...{ scopes: new Set(['logs.view', 'logs.list']), expiresAtMs: Number.POSITIVE_INFINITY, ...over },
});
const CALLERS = {
  admin: reader(),
  'rows only': reader({ scopes: new Set(['logs.list']) }),
  other: reader({ type: 'workspace-service', workspace: 'team-b', keyId: 'key/team-b/app' }),
};

const CANARY = 'sk-canary-71c0ffee71c0ffee';

let server: PostgresServer;
let s3: S3Server;
let world: World;
let management: TestManagement;
let close: () => Promise<void>;

beforeAll(async () => {
  [server, s3] = await Promise.all([startPostgres(), startS3()]);
  const url = await server.database();
  const bucket = { bucket: 'bucket', region: REGION, secretKey: CREDENTIALS.secretAccessKey };
  world = await startWorld({
    env: {
      GATEHOUSE_LOGS_DATABASE_URL: url,
      ...{ LOG_STORE: 's3_custom', LOG_STORE_GENERATIONS_BUCKET: bucket.bucket, LOG_STORE_REGION: REGION },
      ...{ LOG_STORE_BASEPATH: s3.endpoint, LOG_STORE_FILE_PATH_FORMAT: 'v2', LOG_STORE_CONNECTION_BACKOFF_MS: '300' },
      ...{ LOG_STORE_ACCESS_KEY: CREDENTIALS.accessKeyId, LOG_STORE_SECRET_KEY: bucket.secretKey },
      LOG_STORE_CONNECTION_TIMEOUT_MS: '300',
    },
  });
  const logObjects = unwrap(
    openLogObjects(
      {
        ...{ ...bucket, kind: 's3_custom', basePath: s3.endpoint, accessKey: CREDENTIALS.accessKeyId },
        folder: undefined,
      },
      { openIdentity: () => async () => ({ ok: false, error: 'none' }), now: Date.now },
    ),
  );
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
  management = await createTestManagement(['logs'], { now: Date.now, callers: CALLERS, database, logObjects });
  close = () => database.close();
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await management?.close();
  await close?.();
  await s3?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

/** Whatever the bucket does, the answer is good. */
async function chat(trace: string): Promise<void> {
  const { status } = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', 'x-gw-trace-id': trace, 'x-api-key': CANARY },
    body: { model: 'mock-small', messages: [{ role: 'user', content: `hello of ${trace}` }] },
  });
  expect(status).toBe(200);
}

/** The answer of the management API, once there is a row. */
const shown = (trace: string, caller: keyof typeof CALLERS = 'admin') =>
  waitFor(
    async () => {
      const answer = await management.call(caller, 'GET', `/logs/${trace}`);
      return answer.status === 404 ? undefined : answer;
    },
    { what: `the row of ${trace}` },
  );

const isAway = () => world.metric('gatehouse_request_log_store_away');
const written = () => world.metric('gatehouse_request_log_documents_written_total');
const dropped = (reason: string) => world.metric('gatehouse_request_log_documents_dropped_total', { reason });
const untilWritten = (count: number) =>
  waitFor(async () => ((await written()) >= count ? true : undefined), { what: `${count} documents` });

test('a document is in the bucket and in no table, without credentials, and is shown to those who may see it', async () => {
  await chat('kept');
  await untilWritten(1);
  const { body } = await shown('kept');
  expect(body).toMatchObject({
    request: { body: { messages: [{ content: 'hello of kept' }] } },
    metrics: { log_store_file_path_format: 'v2' },
  });
  const [[path, bytes] = ['', Buffer.alloc(0)]] = s3.objects;
  expect(path).toMatch(/^\/bucket\/30\/[\da-f-]{36}\/team-a\/\d{4}\/\d\d\/\d\d\/\d\d\/[\da-f-]{36}\.json$/);
  expect(bytes.toString()).toContain('hello of kept');
  for (const secret of [CANARY, CREDENTIALS.secretAccessKey]) expect(bytes.toString()).not.toContain(secret);
  expect((await shown('kept', 'rows only')).body).not.toHaveProperty('request.body');
  expect((await management.call('other', 'GET', '/logs/kept')).status).toBe(404);
});

test('a document that is gone or of another log leaves the row with a note, and a bucket that fails is 503', async () => {
  await shown('kept');
  const objects = s3.objects as Map<string, Buffer>; // as somebody else would change the bucket
  const [[path, bytes] = ['', Buffer.alloc(0)]] = objects;
  objects.set(path, Buffer.from('{"id":"another","content":{"request":{"body":"x"}}}'));
  expect((await shown('kept')).body).toMatchObject({ note: expect.stringContaining('not one of this log') });
  const { content: _, ...others } = JSON.parse(bytes.toString());
  objects.set(path, Buffer.from(JSON.stringify({ ...others, content: { request: 'x'.repeat(1_000) } })));
  expect((await shown('kept')).body).toMatchObject({
    note: expect.stringContaining('form'),
    request: { method: 'POST' },
  });
  objects.delete(path);
  const { status, body } = await shown('kept');
  expect(status).toBe(200);
  expect(body).toMatchObject({ note: expect.stringContaining('no longer'), response: { status: 200 } });
  expect(body).not.toHaveProperty('request.body');
  objects.set(path, bytes);
  s3.failNext(1, 500);
  expect((await shown('kept')).status).toBe(503);
  expect((await shown('kept')).body).not.toHaveProperty('note');
});

test.for([
  { what: 'busy', status: 503 },
  { what: 'denied', status: 403 },
  { what: 'silent', status: 0 },
])(
  'while the bucket is $what, clients get answers and rows are kept; then documents are written again',
  async ({ what, status }) => {
    const before = await dropped('store_away');
    s3.failNext(1_000, status);
    await chat(`${what}-first`);
    await waitFor(async () => ((await isAway()) === 1 ? true : undefined), { what: 'an open breaker' });
    await chat(`${what}-open`);
    const { body } = await waitFor(
      async () => {
        const found = await management.call('admin', 'GET', `/logs?trace_id=${what}-open`);
        return Array.isArray(found.body['data']) && found.body['data'].length === 1 ? found : undefined;
      },
      { what: 'the row' },
    );
    expect(body).toMatchObject({ data: [{ response_status_code: 200 }] });
    expect(await dropped('store_away')).toBeGreaterThan(before);
    s3.failNext(0);
    const count = await written();
    let tries = 0;
    await waitFor(
      async () => {
        tries += 1;
        await chat(`${what}-again-${tries}`);
        return (await written()) > count && (await isAway()) === 0 ? true : undefined;
      },
      { what: 'a probe that was taken' },
    );
  },
);

test('a document that the bucket refuses is dropped alone', async () => {
  const [count, before] = [await written(), await dropped('refused')];
  s3.failNext(1, 400);
  await chat('refused');
  await chat('after');
  await untilWritten(count + 1);
  await waitFor(async () => ((await dropped('refused')) === before + 1 ? true : undefined), { what: 'the refusal' });
  expect(await isAway()).toBe(0);
});
