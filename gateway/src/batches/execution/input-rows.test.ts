import { describe, expect, test } from 'vitest';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { checkInput } from './check-input.ts';
import { BadRow, type InputRow, inputRows } from './input-rows.ts';

const RULES = { endpoint: '/v1/embeddings', maxRows: 3, maxRowBytes: 2_000, json: DEFAULT_JSON_LIMITS };

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const rowsOf = (text: string) => inputRows(bytesOf(text), RULES);

async function read(text: string): Promise<readonly (InputRow | BadRow)[]> {
  const rows: (InputRow | BadRow)[] = [];
  for await (const row of rowsOf(text)) rows.push(row);
  return rows;
}

const line = (over: object = {}, body: string = '{"input":"a"}'): string =>
  `${JSON.stringify({ custom_id: 'one', method: 'POST', url: '/v1/embeddings', ...over }).slice(0, -1)},"body":${body}}\n`;

describe('a row', () => {
  test('has the bytes of its body as they were written', async () => {
    const body = '{ "input": "a",  "seed": 12345678901234567890 }';
    const [row] = await read(`\n${line({}, body)}`);
    expect(row).toMatchObject({ row: 0, line: 2, customId: 'one', body: { input: 'a' } });
    expect(row instanceof BadRow ? '' : row?.bytes.toString().trim()).toBe(body);
  });

  test.for([
    { rule: 'no JSON', text: '{"custom_id": "one"\n', code: 'invalid_json_line', param: null },
    { rule: 'no object', text: '[]\n', code: 'invalid_json_line', param: null },
    { rule: 'a member twice', text: line({}, '{"input":"a","input":"b"}'), code: 'invalid_json_line', param: null },
    {
      rule: 'a body too deep',
      text: line({}, `${'['.repeat(300)}${']'.repeat(300)}`),
      code: 'invalid_json_line',
      param: null,
    },
    { rule: 'no id', text: line({ custom_id: '' }), code: 'invalid_custom_id', param: 'custom_id' },
    {
      rule: 'too long an id',
      text: line({ custom_id: 'x'.repeat(257) }),
      code: 'invalid_custom_id',
      param: 'custom_id',
    },
    { rule: 'another method', text: line({ method: 'GET' }), code: 'invalid_method', param: 'method' },
    {
      rule: 'a host in its url',
      text: line({ url: 'http://a/v1/embeddings' }),
      code: 'mismatched_endpoint',
      param: 'url',
    },
    { rule: 'a list as body', text: line({}, '[]'), code: 'invalid_body', param: 'body' },
  ])('is reported with $rule', async ({ text, code, param }) => {
    const [row] = await read(text);
    expect(row).toBeInstanceOf(BadRow);
    expect(row).toMatchObject({ problem: { code, param, line: 1 } });
  });
});

describe('an input file', () => {
  test('is counted, and its first hundred problems are reported', async () => {
    const good = ['a', 'b'].map((id) => line({ custom_id: id })).join('\n');
    expect(await checkInput(rowsOf(good))).toEqual({ total: 2, problems: [] });
    const broken = inputRows(bytesOf('{\n'.repeat(300)), { ...RULES, maxRows: 1_000 });
    expect((await checkInput(broken)).problems).toHaveLength(100);
  });

  test.for([
    { rule: 'no row', text: '\n\n', code: 'empty_file' },
    {
      rule: 'more rows than allowed',
      text: ['a', 'b', 'c', 'd'].map((id) => line({ custom_id: id })).join(''),
      code: 'too_many_rows',
    },
    { rule: 'a row that is too long', text: line({}, `{"input":"${'x'.repeat(2_000)}"}`), code: 'row_too_large' },
    { rule: 'an id twice', text: line() + line(), code: 'duplicate_custom_id' },
  ])('with $rule is refused', async ({ text, code }) => {
    expect((await checkInput(rowsOf(text))).problems).toMatchObject([{ code }]);
  });
});
