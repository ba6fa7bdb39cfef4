/** Files and batches that the gateway keeps itself, over its folder; docs/behaviour/managed-batches.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { Received, SendOptions } from '../kit/http.ts';
import { apiKeyOf, batchOf, chatRow, type Managed, managedBy } from '../kit/managed-batches.ts';
import { key, workspace } from '../kit/snapshot.ts';

let folder: string;
let world: World;
let managed: Managed;

const OTHER_KEY = 'gwk_of_another_workspace';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  world = await startWorld({
    env: {
      ...{ GATEHOUSE_BATCH_DIR: folder, GATEHOUSE_BATCH_AT_PROVIDERS: 'false' },
      ...{ GATEHOUSE_BATCH_MAX_FILE_BYTES: '20000', GATEHOUSE_BATCH_MAX_ROWS: '40' },
    },
    entries: () => [workspace('other'), key({ name: 'other', secret: OTHER_KEY, workspace: 'other' })],
  });
  managed = managedBy(world);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('a file', () => {
  test('is stored, shown, read, listed and deleted', async () => {
    const text = chatRow('a', 'hello');
    const file = await managed.upload(text);
    expect(file).toMatchObject({
      id: expect.stringMatching(/^gw_file_[0-9A-Za-z]{32}$/),
      object: 'file',
      bytes: text.length,
      purpose: 'batch',
      filename: 'rows.jsonl',
      status: 'processed',
    });
    expect((await world.send(`/v1/files/${file.id}`)).json()).toEqual(file);
    const content = await world.send(`/v1/files/${file.id}/content`);
    expect(content.headers['content-type']).toBe('application/octet-stream');
    expect(content.text).toBe(text);
    const list = (await world.send('/v1/files?purpose=batch&limit=1')).json();
    expect(list).toMatchObject({ object: 'list', data: [file], first_id: file.id, last_id: file.id });
    const deleted = await world.send(`/v1/files/${file.id}`, { method: 'DELETE' });
    expect(deleted.json()).toEqual({ id: file.id, object: 'file', deleted: true });
    expect((await world.send(`/v1/files/${file.id}/content`)).status).toBe(404);
  });

  test('of another workspace is not there', async () => {
    const { id } = await managed.upload(chatRow('a', 'hello'));
    const headers = apiKeyOf(OTHER_KEY);
    for (const [method, path] of [
      ['GET', `/v1/files/${id}`],
      ['GET', `/v1/files/${id}/content`],
      ['DELETE', `/v1/files/${id}`],
    ] as const) {
      expect((await world.send(path, { method, headers })).json()).toMatchObject({ error: { code: 'file_unknown' } });
    }
    expect((await world.send('/v1/files', { headers })).json()).toMatchObject({ data: [] });
    expect((await world.send(`/v1/files/${id}`)).status).toBe(200);
  });

  test.for([
    { rule: 'without a purpose', form: { file: 'a' }, param: 'purpose' },
    { rule: 'for another purpose', form: { purpose: 'assistants', file: 'a' }, param: 'purpose' },
    { rule: 'with a field that it does not have', form: { purpose: 'batch', owner: 'me', file: 'a' }, param: 'owner' },
    {
      rule: 'kept for too short',
      form: { purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '1', file: 'a' },
      param: 'expires_after[seconds]',
    },
    { rule: 'without bytes', form: { purpose: 'batch' }, param: 'file' },
  ])('is refused $rule, and nothing is kept', async ({ form, param }) => {
    const before = (await world.send('/v1/files?limit=100')).json() as { data: object[] };
    const { status, json } = await managed.send(form);
    expect([status, json()]).toMatchObject([400, { error: { param } }]);
    expect((await world.send('/v1/files?limit=100')).json()).toMatchObject({ data: before.data });
  });

  test('is refused beyond the limit of bytes, with the name of the limit', async () => {
    const { status, text } = await managed.send({ purpose: 'batch', file: 'x'.repeat(20_001) });
    expect(status).toBe(413);
    expect(text).toContain('GATEHOUSE_BATCH_MAX_FILE_BYTES');
  });

  test('is sent to a provider where one is named', async () => {
    const sent = await managed.send({ purpose: 'batch', file: chatRow('a', 'b') }, { 'x-gw-provider': '@openai' });
    expect((sent.json() as { id: string }).id).not.toMatch(/^gw_/);
  });
});

describe('a batch', () => {
  test('is run to its end as the key that has created it', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => chatRow(`row-${i}`, `number ${i}`)).join('');
    const { id: input } = await managed.upload(rows);
    const created = await managed.create({
      input_file_id: input,
      gw_options: { 'x-gw-provider': '@openai' },
      metadata: { a: 'b' },
    });
    expect(created).toMatchObject({
      object: 'batch',
      status: 'validating',
      endpoint: '/v1/chat/completions',
      metadata: { a: 'b' },
    });
    const batch = await managed.ended(created.id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 12, completed: 12, failed: 0 },
      errors: null,
      error_file_id: null,
    });
    const output = await world.send(`/v1/batches/${batch.id}/output`);
    expect(output.headers['content-type']).toBe('application/octet-stream');
    const lines = output.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ custom_id: id }) => id).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, i) => `row-${i}`).toSorted(),
    );
    expect(lines[0]).toMatchObject({
      response: { status_code: 200, body: { object: 'chat.completion' } },
      error: null,
    });
    expect((await world.send(`/v1/files/${batch.output_file_id}/content`)).text).toBe(output.text);
    expect((await world.send('/v1/batches')).json()).toMatchObject({ data: expect.arrayContaining([batch]) });
    const records = world.logs.filter(
      ({ metadata }) => (metadata as { batch_id?: string } | undefined)?.batch_id === batch.id,
    );
    expect(records).toHaveLength(12);
  });

  test('takes accounts that the models of its rows name, and reports what providers refuse', async () => {
    const rows = chatRow('good', 'hi', '@openai/gpt-4o') + chatRow('bad', 'hi', '@nobody/gpt-4o');
    const batch = await managed.run(rows, {});
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 1, failed: 1 } });
    const errors = await world.send(`/v1/files/${batch.error_file_id}/content`);
    expect(JSON.parse(errors.text)).toMatchObject({
      custom_id: 'bad',
      response: { status_code: 400, body: { error: { code: 'provider_slug_unknown' } } },
      error: null,
    });
  });

  test.for([
    { rule: 'a row is no JSON', rows: '{"custom_id"\n', code: 'invalid_json_line', line: 1 },
    { rule: 'two rows have one id', rows: chatRow('a', '1') + chatRow('a', '2'), code: 'duplicate_custom_id', line: 2 },
    {
      rule: 'a row is for another endpoint',
      rows: chatRow('a', '1').replace('chat/completions', 'embeddings'),
      code: 'mismatched_endpoint',
      line: 1,
    },
    {
      rule: 'a row wants a stream',
      rows: chatRow('a', '1').replace('"body":{', '"body":{"stream":true,'),
      code: 'invalid_body',
      line: 1,
    },
    {
      rule: 'it has too many rows',
      rows: Array.from({ length: 41 }, (_, i) => chatRow(`r${i}`, '')).join(''),
      code: 'too_many_rows',
      line: 41,
    },
    { rule: 'its file is empty', rows: '\n', code: 'empty_file', line: null },
  ])('fails before any row is asked for where $rule', async ({ rows, code, line }) => {
    const before = world.mock.requests.length;
    const batch = await managed.run(rows);
    expect(batch).toMatchObject({ status: 'failed', errors: { data: [{ code, line }] }, output_file_id: null });
    expect(world.mock.requests).toHaveLength(before);
    expect((await world.send(`/v1/batches/${batch.id}/output`)).json()).toMatchObject({
      error: { code: 'batch_output_missing' },
    });
  });

  test.for([
    { rule: 'a credential', options: { authorization: 'Bearer sk-1' } },
    { rule: 'a provider that needs a credential', options: { 'x-gw-provider': 'openai' } },
    { rule: 'a host', options: { 'x-gw-custom-host': 'http://10.0.0.1' } },
    { rule: 'a config that is written out', options: { 'x-gw-config': '{"provider":"openai","api_key":"sk-1"}' } },
    { rule: 'headers to be forwarded', options: { 'x-gw-forward-headers': 'cookie' } },
    { rule: 'a line break', options: { 'x-gw-trace-id': 'a\r\nb' } },
    { rule: 'an account that is not there', options: { 'x-gw-provider': '@nobody' } },
    { rule: 'a config that is not there', options: { 'x-gw-config': 'nobody' } },
  ])('is refused with $rule in gw_options', async ({ options }) => {
    const { id } = await managed.upload(chatRow('a', 'hello'));
    const refused = await world.send('/v1/batches', batchOf({ input_file_id: id, gw_options: options }));
    expect(refused.status).toBe(400);
  });

  test.for([
    { body: { input_file_id: `gw_file_${'0'.repeat(32)}` }, status: 404, code: 'file_unknown' },
    { body: { input_file_id: '../../etc/passwd' }, status: 404, code: 'file_unknown' },
    { body: { input_file_id: 'f', endpoint: '/v1/files' }, status: 400, code: 'parameter_invalid' },
    {
      body: {
        input_file_id: 'f',
        output_expires_after: { anchor: 'created_at', seconds: { toString: 0, valueOf: 0 } },
      },
      status: 400,
      code: 'parameter_invalid',
    },
    { body: { input_file_id: 'f', completion_window: '1h' }, status: 400, code: 'parameter_invalid' },
    { body: { input_file_id: 'f', role_arn: 'arn' }, status: 400, code: 'parameter_invalid' },
  ])('is refused with $body', async ({ body, status, code }) => {
    const refused = await world.send('/v1/batches', batchOf(body));
    expect([refused.status, refused.json()]).toMatchObject([status, { error: { code } }]);
  });

  test('of another workspace is not there', async () => {
    const { id } = await managed.run(chatRow('a', 'hello'));
    const headers = apiKeyOf(OTHER_KEY);
    const asked: readonly [string, SendOptions][] = [
      [`/v1/batches/${id}`, {}],
      [`/v1/batches/${id}/output`, {}],
      [`/v1/batches/${id}/cancel`, { method: 'POST' }],
    ];
    for (const [path, options] of asked) {
      const answer: Received = await world.send(path, { ...options, headers });
      expect(answer.json()).toMatchObject({ error: { code: 'batch_unknown' } });
    }
  });
});
