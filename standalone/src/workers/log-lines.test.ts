import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { readLines } from './log-lines.ts';

test('lines are written whole, however they arrive, the last one of a worker that crashed too', async () => {
  const log = new PassThrough();
  const written: string[] = [];
  readLines(log, (text) => written.push(text));
  const bytes = Buffer.from('{"a":"ü"}\n{"b":1}\n{"c"');
  for (const byte of bytes) log.write(Buffer.of(byte));
  log.end();
  await finished(log);
  expect(written).toEqual(['{"a":"ü"}\n', '{"b":1}\n', '{"c"\n']);
});

test('a line without end is broken', async () => {
  const log = new PassThrough();
  const written: string[] = [];
  readLines(log, (text) => written.push(text));
  log.write(Buffer.alloc(1024 * 1024 + 1, 'x'));
  log.end('y\n');
  await finished(log);
  expect(written.map((text) => text.length)).toEqual([1024 * 1024 + 2, 2]);
});
