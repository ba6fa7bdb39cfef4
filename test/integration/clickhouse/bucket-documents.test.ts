/** Documents in a bucket while rows are in a database, ClickHouse or PostgreSQL: written, read and exported. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Caller,
  createDatabase,
  logTablesIn,
  openLogObjects,
  openLogReader,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { CREDENTIALS, REGION, type S3Server, startS3 } from '../../conformance/batches/s3-server.ts';
import { startWorld } from '../../kit/gateway.ts';
import { startPostgres, unwrap } from '../../kit/index.ts';
import { waitFor } from '../../kit/wait-for.ts';

const ADMIN: Caller = {
  ...{ keyId: 'key//admin', keyName: 'admin', type: 'organisation-service', workspace: undefined, user: undefined },
  scopes: new Set(['logs.view', 'logs.list', 'logs.export']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};
const TRACES = ['first', 'second'] as const;

describe.for(['clickhouse', 'postgres'] as const)('rows in %s', (store) => {
  let s3: S3Server;
  let management: TestManagement;
  const stack = new AsyncDisposableStack();

  beforeAll(async () => {
    const postgres = stack.use(await startPostgres());
    const clickHouse = store === 'clickhouse' ? stack.use(await startClickHouse()) : undefined;
    s3 = stack.use(await startS3());
    const url = await postgres.database();
    const bucket = { bucket: 'bucket', region: REGION, secretKey: CREDENTIALS.secretAccessKey };
    const rows =
      clickHouse === undefined
        ? { GATEHOUSE_LOGS_DATABASE_URL: url }
        : { GATEHOUSE_LOGS_CLICKHOUSE_URL: clickHouse.url };
    const world = stack.use(
      await startWorld({
        env: {
          ...rows,
          ...{ LOG_STORE: 's3_custom', LOG_STORE_GENERATIONS_BUCKET: bucket.bucket, LOG_STORE_REGION: REGION },
          ...{ LOG_STORE_BASEPATH: s3.endpoint, LOG_STORE_FILE_PATH_FORMAT: 'v2' },
          ...{ LOG_STORE_ACCESS_KEY: CREDENTIALS.accessKeyId, LOG_STORE_SECRET_KEY: bucket.secretKey },
        },
      }),
    );
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
    stack.defer(() => database.close());
    const { reader, close } = unwrap(
      openLogReader(
        clickHouse === undefined ? undefined : { url: clickHouse.url, onAway: () => undefined },
        logTablesIn(database),
      ),
    );
    stack.defer(close);
    management = await createTestManagement(['logs'], {
      ...{ now: Date.now, callers: { admin: ADMIN }, database, logObjects, logReader: reader },
    });
    stack.defer(() => management.close());
    for (const trace of TRACES) {
      const { status } = await world.send('/v1/chat/completions', {
        headers: { 'x-gw-provider': '@openai', 'x-gw-trace-id': trace },
        body: { model: 'mock-small', messages: [{ role: 'user', content: `hello of ${trace}` }] },
      });
      expect(status).toBe(200);
    }
    const written = () => world.metric('gatehouse_request_log_documents_written_total');
    await waitFor(async () => (await written()) === TRACES.length, { what: 'the documents' });
    await waitFor(async () => (await management.call('admin', 'GET', '/logs')).body['total'] === TRACES.length, {
      what: 'the rows',
    });
  });

  afterAll(() => stack.disposeAsync());

  test('a document is in the bucket, and shown with its row', async () => {
    expect([...s3.objects.values()].filter((bytes) => bytes.includes('hello of first'))).toHaveLength(1);
    const { status, body } = await management.call('admin', 'GET', '/logs/first');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        request: expect.objectContaining({
          body: expect.objectContaining({ messages: [{ role: 'user', content: 'hello of first' }] }),
        }),
      }),
    ]);
    expect(body).not.toHaveProperty('note');
  });

  test('an export has the documents, and none where one is gone', async () => {
    const objects = s3.objects as Map<string, Buffer>; // as somebody else would change the bucket
    for (const [path, bytes] of objects) if (bytes.includes('hello of second')) objects.delete(path);
    const draft = await management.call('admin', 'POST', '/logs/exports', {
      ...{ workspace_id: 'team-a', filters: {}, requested_data: ['trace_id', 'request', 'response'] },
      description: 'with what was said',
    });
    expect(draft.status).toBe(200);
    const path = `/logs/exports/${String(draft.body['id'])}`;
    expect((await management.call('admin', 'POST', `${path}/start`, {})).status).toBe(200);
    await waitFor(async () => (await management.call('admin', 'GET', path)).body['status'] === 'success', {
      what: 'the export',
    });
    const { body } = await management.call('admin', 'GET', `${path}/download`);
    const { pathname, search } = new URL(String(body['signed_url']));
    const { text } = await management.send({ url: `${pathname}${search}` });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ trace_id }) => trace_id)).toEqual(['second', 'first']);
    expect(lines[1]).toMatchObject({
      request: { body: { messages: [{ content: 'hello of first' }] } },
      response: { status: 200 },
    });
    expect(text).not.toContain('hello of second');
  });
});
