import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { atRow, MAX_ROW_BYTES, outputRow, readRows } from './index.ts';

async function* pieces(text: string, size = text.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

const read = async (text: string, size?: number, bytes = 100_000) => {
  const memory = createByteBudget(bytes).open();
  const rows = [];
  const rules = { param: 'input_file_id', json: DEFAULT_JSON_LIMITS, memory };
  for await (const row of readRows(pieces(text, size), rules)) rows.push(row);
  return rows;
};

const row = (more: object = {}) =>
  JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'm' }, ...more });

describe('rows of an input file', () => {
  test.for([1, 7, 1_000])('are the same in pieces of %i bytes', async (size) => {
    expect(await read(`${row()}\r\n\n${row({ custom_id: 'b', url: undefined })}`, size)).toEqual([
      { place: 'line 1', customId: 'a', url: '/v1/chat/completions', body: { model: 'm' } },
      { place: 'line 3', customId: 'b', url: undefined, body: { model: 'm' } },
    ]);
  });

  test.for([
    { rule: 'no JSON', bad: 'sk-secret', problem: 'not a JSON object' },
    { rule: 'a list', bad: '[]', problem: 'not a JSON object' },
    { rule: 'a name twice', bad: '{"custom_id":"a","body":{"model":"m","model":"n"}}', problem: 'a name twice' },
    { rule: 'no custom_id', bad: row({ custom_id: 1 }), problem: 'custom_id' },
    { rule: 'a long custom_id', bad: row({ custom_id: 'a'.repeat(257) }), problem: 'custom_id' },
    { rule: 'another method', bad: row({ method: 'GET' }), problem: 'method' },
    { rule: 'no url', bad: row({ url: 1 }), problem: 'url' },
    { rule: 'no body', bad: row({ body: [] }), problem: 'body' },
  ])('are refused with the line: $rule', async ({ bad, problem }) => {
    const refused = await read(`${row()}\n${bad}\n`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'PARAMETER_INVALID', param: 'input_file_id' });
    expect(refused).toHaveProperty('message', expect.stringMatching(new RegExp(`line 2: .*${problem}`)));
    expect(String(refused)).not.toContain('sk-secret');
  });

  test('are not longer than they may be', async () => {
    const long = row({ body: { text: 'a'.repeat(MAX_ROW_BYTES) } });
    await expect(read(`${row()}\n${long}`)).rejects.toMatchObject({
      code: 'PARAMETER_INVALID',
      message: expect.stringContaining('line 2'),
    });
  });

  test('are held one at a time', async () => {
    const text = Array.from({ length: 20 }, () => row()).join('\n');
    await expect(read(text, undefined, row().length)).resolves.toHaveLength(20);
    await expect(read(text, undefined, row().length - 1)).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
  });
});

test('an error about a row has its place, and a failure of the gateway stays what it is', () => {
  const at = { place: 'line 3', param: 'input_file_id' };
  const refused = new AppError('MODEL_NOT_ALLOWED', { param: 'model', provider: 'p', detail: 'not m' });
  expect(atRow(refused, at)).toMatchObject({
    ...{ code: 'MODEL_NOT_ALLOWED', provider: 'p', param: 'input_file_id' },
    message: 'Invalid row in input_file_id, line 3: not m',
  });
  const failure = new AppError('INTERNAL');
  expect(atRow(failure, at)).toBe(failure);
  expect(atRow('x', at)).toBe('x');
});

test('output rows are lines of JSON', () => {
  const names = { id: 'batch_req_1', customId: 'a' };
  expect(outputRow(names, { body: { x: 'é\n' }, requestId: 'r' }).toString()).toBe(
    '{"id":"batch_req_1","custom_id":"a","response":{"status_code":200,"request_id":"r","body":{"x":"é\\n"}},"error":null}\n',
  );
  expect(outputRow(names, { error: { code: 'c', message: 'm' } }).toString()).toBe(
    '{"id":"batch_req_1","custom_id":"a","response":null,"error":{"code":"c","message":"m"}}\n',
  );
});
