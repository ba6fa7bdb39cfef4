import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { rowName, rowOf, uploadForm } from './input.ts';

const MARKER = 'gwb_0123456789abcdefghijklmn';

test.for([
  [rowName(MARKER, 0), 0],
  [rowName(MARKER, 49_999), 49_999],
  [`${MARKER}-01`, undefined],
  [`${MARKER}-1e3`, undefined],
  [`${MARKER}--1`, undefined],
  [`${MARKER}-`, undefined],
  [MARKER, undefined],
  ['gwb_0123456789abcdefghijklmN-1', undefined],
  [7, undefined],
] as const)('the name %s is that of row %s', ([name, want]) => {
  expect(rowOf(MARKER, name)).toBe(want);
});

test('a form has the length that it says, each time it is read', async () => {
  const lines = ['{"a":1}\n', '{"b":"ü"}\n'];
  async function* pieces() {
    for (const line of lines) yield Buffer.from(line);
  }
  const input = { open: () => Readable.from(pieces(), { objectMode: false }), problem: () => undefined };
  const form = uploadForm(input, { marker: MARKER, bytes: Buffer.byteLength(lines.join('')) });
  if (form.kind !== 'form') throw new Error('it is no form');
  for (let times = 0; times < 2; times += 1) {
    const read = Buffer.concat(await form.source.open().toArray());
    expect(read).toHaveLength(form.source.bytes ?? Number.NaN);
    expect(read.toString()).toContain(`\r\n\r\n${lines.join('')}\r\n--${form.boundary}--\r\n`);
  }
});
