import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createTokenFile } from './token-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
const path = join(folder, 'token');
afterAll(() => rmSync(folder, { recursive: true }));

test('a token is kept for five seconds, then the file is read again', async () => {
  let nowMs = 0;
  const file = createTokenFile(path, () => nowMs);
  writeFileSync(path, 'one\n');
  expect(await file.read()).toBe('one');
  writeFileSync(path, 'two\n');
  nowMs = 4_999;
  expect(await file.read()).toBe('one');
  nowMs = 5_000;
  expect(await file.read()).toBe('two');
});

test('a token that was refused is read again at once', async () => {
  const file = createTokenFile(path, () => 0);
  writeFileSync(path, 'one');
  expect(await file.read()).toBe('one');
  writeFileSync(path, 'two');
  file.forget();
  expect(await file.read()).toBe('two');
});

test('a file that is missing or empty is no token, and is looked at again', async () => {
  const file = createTokenFile(path, () => 0);
  rmSync(path);
  await expect(file.read()).rejects.toThrow('ENOENT');
  writeFileSync(path, ' \n');
  await expect(file.read()).rejects.toThrow('the file is empty');
  writeFileSync(path, 'good');
  expect(await file.read()).toBe('good');
});
