/** The commands of DEVELOPMENT.md, in this checkout: they only read it. */
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { capture } from '../../../scripts/machine/index.ts';
import { blocksOf, ROOT } from '../documents.ts';

const commands = blocksOf('DEVELOPMENT.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(({ line, text }) => text.split('\n').map((command, at) => ({ place: `line ${line + at}`, command })));

test.for(commands)('$place: $command', async ({ command }) => {
  const { code, stdout, stderr } = await capture(['bash', '-c', command], { cwd: ROOT });
  expect(code, stdout + stderr).toBe(0);
  if (command.startsWith('npx vitest run')) expect(stripVTControlCharacters(stdout)).toMatch(/Tests +[1-9]\d* passed/);
});
