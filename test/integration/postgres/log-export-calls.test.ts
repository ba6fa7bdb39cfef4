/** Exports as clients ask for them: what they have, who sees them, and their links. */
import type { LogContent } from '@gatehouse/crds/logs';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../operator/src/management/index.ts';
import type { Answer, RawAnswer } from '../../../operator/src/management/testing.ts';
import { NOW, type RequestLogWorld, record, startRequestLogWorld } from './request-log-world.ts';

let world: RequestLogWorld;
let nowMs = NOW;
const CONTENT: LogContent = {
  request: { url: '/v1/chat/completions', method: 'POST', body: { model: 'm', messages: [] } },
  response: { status: 200, responseTime: 12, body: { choices: [] } },
};
const caller = (over: Partial<Caller>): Caller => ({
  ...{ keyId: 'key/team-a/x', keyName: 'x', type: 'workspace-service', workspace: 'team-a', user: undefined },
  ...{ scopes: new Set(['logs.export']), expiresAtMs: Number.POSITIVE_INFINITY, ...over },
});
beforeAll(async () => {
  world = await startRequestLogWorld({
    now: () => nowMs,
    callers: {
      service: caller({}),
      ada: caller({ type: 'workspace-user', user: 'ada', keyId: 'key/team-a/ada' }),
      bob: caller({ type: 'workspace-user', user: 'bob', keyId: 'key/team-a/bob' }),
      other: caller({ workspace: 'team-b', keyId: 'key/team-b/x' }),
      root: caller({ workspace: undefined, type: 'organisation-service', keyId: 'key/root' }),
      reader: caller({ scopes: new Set(['logs.view']) }),
    },
  });
  await world.write(
    record({ trace_id: 'a-1', model: 'gpt', cost_nano: 25_000_000, metadata: { team: 'red' }, ...CLIENT }, CONTENT),
    record({ trace_id: 'a-2', status: 500, created_at: NOW - 120_000, key_user: 'ada' }),
    record({ trace_id: 'b-1', workspace: 'team-b' }),
  );
  const place = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
  await world.management.store.create(place, { spec: { deniedExportFields: ['cost', 'response'] } }, { force: false });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const call = (key: string, method: 'GET' | 'POST' | 'PUT', path = '', body?: object): Promise<Answer> =>
  world.management.call(key, method, `/logs/exports${path}`, body);
const FIELDS = ['id', 'trace_id'];
const CLIENT = {
  runtime: 'node',
  runtime_version: 'v26',
  sdk_version: '5.1.0',
  request_parsing_ms: 0.5,
  cache_ms: 0.25,
};

async function make(body: object = {}, key = 'service'): Promise<string> {
  const answer = await call(key, 'POST', '', { filters: {}, requested_data: FIELDS, ...body });
  expect([answer.status, answer.body]).toMatchObject([200, { total: 0, object: 'export' }]);
  return String(answer.body['id']);
}
async function finish(id: string, key = 'service'): Promise<Answer['body']> {
  expect(await call(key, 'POST', `/${id}/start`)).toMatchObject({ status: 200 });
  return waitFor(
    async () => {
      const { body } = await call(key, 'GET', `/${id}`);
      return body['status'] === 'in_progress' ? undefined : body;
    },
    { what: 'the end of the export' },
  );
}
async function linkOf(id: string, key = 'service'): Promise<URL> {
  return new URL(String((await call(key, 'GET', `/${id}/download`)).body['signed_url']));
}
const follow = (link: URL): Promise<RawAnswer> => world.management.send({ url: link.pathname + link.search });
async function linesOf(id: string, key = 'service'): Promise<Record<string, unknown>[]> {
  const { status, text = '' } = await follow(await linkOf(id, key));
  expect(status).toBe(200);
  return text.trim() === ''
    ? []
    : text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
}
const tracesOf = async (id: string, key?: string) => (await linesOf(id, key)).map(({ trace_id }) => trace_id);

describe('an export', () => {
  test('is a draft until it is started, and then a file', async () => {
    const filters = { status_code: '500', page_size: 10 };
    const id = await make({ filters, description: 'For finance' });
    expect((await call('service', 'GET', `/${id}`)).body).toMatchObject({
      ...{ id, status: 'draft', filters, requested_data: FIELDS, description: 'For finance', object: 'export' },
      ...{ total_records: 0, created_by: 'key/team-a/x', problem: null },
    });
    expect((await call('service', 'GET', `/${id}/download`)).status).toBe(409);
    const change = { filters: { metadata: { team: 'red' } }, requested_data: ['trace_id', 'request', 'metadata'] };
    expect(await call('service', 'PUT', `/${id}`, change)).toMatchObject({ status: 200, body: { id } });
    expect(await finish(id)).toMatchObject({ status: 'success', total_records: 1 });
    expect(await linesOf(id)).toEqual([{ trace_id: 'a-1', request: CONTENT.request, metadata: { team: 'red' } }]);
    expect((await call('service', 'PUT', `/${id}`, change)).status).toBe(409);
    expect((await call('service', 'POST', `/${id}/start`)).status).toBe(409);
    expect((await call('service', 'POST', `/${id}/cancel`)).status).toBe(409);
  });

  test('has no gateway key in what was said of it', async () => {
    const canary = `gwk_canary${'0123456789'.repeat(3)}`;
    const filters = { metadata: { said: canary }, trace_id: canary, page_size: 10 };
    const id = await make({ filters, description: `For ${canary}` });
    const shown = (await call('service', 'GET', `/${id}`)).body;
    expect(shown).toMatchObject({ description: 'For [redacted]', filters: { page_size: 10, trace_id: '[redacted]' } });
    expect(JSON.stringify(shown)).not.toContain(canary);
    expect(await finish(id)).toMatchObject({ status: 'success', total_records: 0 });
  });

  test('has the rows of its workspace, the newest first, and no more than page_size', async () => {
    const all = await make();
    await finish(all);
    expect(await tracesOf(all)).toEqual(['a-1', 'a-2']);
    const one = await make({ filters: { page_size: 1 } });
    await finish(one);
    expect(await tracesOf(one)).toEqual(['a-1']);
    const theirs = await make({ workspace_id: 'team-b' }, 'root');
    await finish(theirs, 'root');
    expect(await tracesOf(theirs, 'root')).toEqual(['b-1']);
  });

  test('has what clients run on, and times of parts', async () => {
    const times = ['request_parsing_time', 'pre_processing_time', 'cache_processing_time', 'response_parsing_time'];
    const id = await make({ requested_data: ['runtime', 'runtime_version', 'sdk_version', ...times] });
    await finish(id);
    const lines = (await linesOf(id)).map((line) => Object.values(line));
    expect(lines).toEqual([['node', 'v26', '5.1.0', 0.5, null, 0.25, null], Array(7).fill(null)]);
  });

  test('leaves out what the organisation denies', async () => {
    const { body } = await call('service', 'GET', '/field-restrictions');
    expect(body).toEqual({ denied_fields: ['cost', 'response'] });
    const id = await make({ requested_data: ['id', 'cost', 'response', 'ai_model'] });
    await finish(id);
    for (const line of await linesOf(id)) expect(Object.keys(line)).toEqual(['id', 'ai_model']);
    const none = await call('service', 'POST', '', { filters: {}, requested_data: ['cost'] });
    expect([none.status, none.body]).toMatchObject([400, { error: { param: 'requested_data' } }]);
  });

  test('that is cancelled is stopped, and has no file', async () => {
    const id = await make();
    expect((await call('service', 'POST', `/${id}/cancel`)).status).toBe(200);
    expect((await call('service', 'GET', `/${id}`)).body).toMatchObject({ status: 'stopped' });
    expect((await call('service', 'POST', `/${id}/start`)).status).toBe(409);
    expect((await call('service', 'GET', `/${id}/download`)).status).toBe(409);
  });

  test.for([
    ['without fields', { filters: {} }, 'requested_data'],
    ['with a field that is none', { filters: {}, requested_data: ['password'] }, 'requested_data[0]'],
    ['with a filter that is none', { filters: { model: 'x' }, requested_data: FIELDS }, 'filters.model'],
    ['with too many rows', { filters: { page_size: 1_000_001 }, requested_data: FIELDS }, 'filters.page_size'],
    ['with a status that is none', { filters: { status_code: 'x' }, requested_data: FIELDS }, 'status_code'],
  ] as const)('%s is refused', async ([, body, param]) => {
    const answer = await call('service', 'POST', '', body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
  });

  test('needs its scope', async () => {
    expect((await call('reader', 'GET')).status).toBe(403);
    expect((await call('reader', 'POST', '', { filters: {}, requested_data: FIELDS })).status).toBe(403);
  });
});

describe('an export is seen', () => {
  const seenBy = async (id: string) => {
    const keys = ['service', 'ada', 'bob', 'other', 'root'];
    const answers = await Promise.all(keys.map((key) => call(key, 'GET', `/${id}`)));
    const lists = await Promise.all(keys.map((key) => call(key, 'GET', '?page_size=1000')));
    const isIn = ({ body }: Answer) => (body['data'] as { id: string }[]).some((one) => one.id === id);
    expect(lists.map(isIn)).toEqual(answers.map(({ status }) => status === 200));
    return keys.filter((_, i) => answers[i]?.status === 200);
  };

  test('of a person by the person, keys of the workspace and of the organisation', async () => {
    expect(await seenBy(await make({}, 'ada'))).toEqual(['service', 'ada', 'root']);
  });

  test('of a service by keys of the workspace and of the organisation', async () => {
    expect(await seenBy(await make())).toEqual(['service', 'root']);
  });

  test('by nobody else, whatever they do with it', async () => {
    const id = await make();
    for (const key of ['other', 'ada']) {
      const body = { filters: {} };
      const tries = [
        call(key, 'PUT', `/${id}`, body),
        call(key, 'POST', `/${id}/start`),
        call(key, 'POST', `/${id}/cancel`),
      ];
      const answers = await Promise.all([...tries, call(key, 'GET', `/${id}/download`)]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
    expect((await call('service', 'GET', `/${id}`)).body).toMatchObject({ status: 'draft' });
  });
});

describe('a link', () => {
  test('opens the file without a key, as a download that nobody keeps', async () => {
    const id = await make();
    await finish(id);
    const link = await linkOf(id);
    const answer = await follow(link);
    expect([link.protocol, answer.status, answer.headers]).toMatchObject([
      ...['http:', 200],
      {
        ...{ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
        'content-disposition': `attachment; filename="export-${id}.jsonl"`,
      },
    ]);
  });

  test('has the name and the protocol by which the caller knows the API', async () => {
    const id = await make();
    await finish(id);
    const headers = { 'x-gw-api-key': 'service', host: 'gw.example:8443', 'x-forwarded-proto': 'https' };
    const { body } = await world.management.send({ url: `/v1/logs/exports/${id}/download`, headers });
    expect(String(body['signed_url'])).toMatch(/^https:\/\/gw\.example:8443\/v1\/logs\/exports\//);
  });

  test('ends after a quarter of an hour', async () => {
    const id = await make();
    await finish(id);
    const link = await linkOf(id);
    nowMs = NOW + 899_000;
    expect((await follow(link)).status).toBe(200);
    nowMs = NOW + 901_000;
    expect(await follow(link)).toMatchObject({ status: 403, body: { errorCode: 'AB03' } });
    nowMs = NOW;
  });

  test('that was changed, or is of another export, opens nothing and tells nothing', async () => {
    const [id, second] = [await make(), await make()];
    await finish(id);
    await finish(second);
    const link = await linkOf(id);
    const [expires, signature] = ['expires', 'signature'].map((name) => link.searchParams.get(name) ?? '');
    const other = (to: string, query: object) => {
      const parameters = new URLSearchParams({ expires, signature, ...query } as Record<string, string>);
      return world.management.send({ url: `/v1/logs/exports/${to}/file?${parameters}` });
    };
    const answers = await Promise.all([
      other(second, {}),
      other(id, { expires: String(Number(expires) + 1) }),
      other(id, { signature: 'AAAA' }),
      other(id, { signature: `${signature}A` }),
      other('00000000-0000-4000-8000-000000000000', {}),
      other('no-uuid', {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toHaveLength(1);
  });

  test('to a file that has gone is 404', async () => {
    const id = await make();
    await finish(id);
    const link = await linkOf(id);
    await world.sql(`delete from gateway_logs.export_parts where export_id = '${id}'`);
    expect((await follow(link)).status).toBe(404);
  });
});
