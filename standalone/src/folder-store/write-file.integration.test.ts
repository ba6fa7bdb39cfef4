import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { replaceFile } from './write-file.ts';

const MODULE = new URL('./write-file.ts', import.meta.url).href;
/** Says each time that a content is written. */
const WRITES = `
  const { replaceFile } = await import(${JSON.stringify(MODULE)});
  for (let i = 0; ; i += 1) {
    await replaceFile(process.argv[1], (i % 2 === 0 ? 'b' : 'a').repeat(200_000));
    process.stdout.write('.');
  }
`;

test('a file has its old or its new content when its writer is killed, and the next write is not in its way', async () => {
  using temp = tempFolder();
  const file = temp.write('secret.yaml', 'a'.repeat(200_000));
  chmodSync(file, 0o600);
  for (let round = 1; round <= 10; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', WRITES, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let written = 0;
    const enough = Promise.withResolvers<void>();
    child.stdout.on('data', (dots: Buffer) => {
      written += dots.length;
      if (written >= round) enough.resolve();
    });
    const ended = once(child, 'close');
    await enough.promise;
    child.kill('SIGKILL');
    await ended;
    const text = readFileSync(file, 'utf8');
    expect([text.length, new Set(text).size]).toEqual([200_000, 1]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  await replaceFile(file, 'last');
  expect(readFileSync(file, 'utf8')).toBe('last');
  expect(readdirSync(temp.path)).toEqual(['secret.yaml']);
});
