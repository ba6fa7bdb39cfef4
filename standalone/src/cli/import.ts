import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { importConfig } from '../import/index.ts';
import { parseText } from '../resource-folder/index.ts';
import { toPrintable } from '../terminal/index.ts';
import type { Command } from './command.ts';
import { toYaml } from './objects/index.ts';
import { checkReadable, systemErrorText } from './preflight.ts';
import { CommandError } from './shell.ts';

/** Only its owner reads the file of credentials. */
const PRIVATE = 0o600;

/** Turns the config of another gateway into resources. */
export const importFile: Command = {
  name: 'import',
  summary: 'turns a Portkey config or a config.yaml of LiteLLM into resources',
  operands: { value: 'FILE' },
  options: {
    output: {
      value: 'DIR',
      short: 'o',
      summary: 'the folder for the resources',
      default: 'imported',
      completes: 'folders',
    },
  },
  notes: [
    'Writes resources.yaml, and secrets.yaml (mode 0600) with the credentials that the file has; files that are there are not replaced.',
    'What could not be mapped and what has to be supplied is printed, a line each.',
  ],
  examples: [
    { purpose: 'a config of LiteLLM', line: 'gatehouse import docs/guide/import/litellm.yaml -o imported' },
    { purpose: 'a config of Portkey', line: 'gatehouse import docs/guide/import/portkey.json -o imported-portkey' },
  ],
  async run({ shell, operands, options }) {
    const [file = '', ...more] = operands;
    if (more.length > 0) throw new CommandError('one FILE is imported at a time');
    await checkReadable([file]);
    const { documents, problems } = parseText(await readFile(file, 'utf8'));
    const [problem] = problems;
    if (problem !== undefined) throw new CommandError(`${file}:${problem.line}:${problem.column}: ${problem.message}`);
    const value = documents[0]?.value;
    const found = isObject(value) ? importConfig(value, basename(file, extname(file))) : undefined;
    if (found === undefined) throw new CommandError(`${file} is neither a Portkey config nor a config.yaml of LiteLLM`);
    const { resources, secrets, unmapped, supply } = found;
    for (const { path, reason } of unmapped) shell.out(toPrintable(`not mapped: ${path}: ${reason}`));
    for (const line of supply) shell.out(toPrintable(`to supply: ${line}`));
    if (resources.length === 0) throw new CommandError('nothing of the file could be mapped');
    const folder = options['output'] ?? '';
    await mkdir(folder, { recursive: true });
    if (secrets.length > 0) {
      shell.out(toPrintable(`credentials of the file: ${await write(join(folder, 'secrets.yaml'), secrets, PRIVATE)}`));
    }
    shell.out(toPrintable(`${resources.length} resources: ${await write(join(folder, 'resources.yaml'), resources)}`));
    return 0;
  },
};

async function write(path: string, documents: readonly object[], mode = 0o644): Promise<string> {
  const text = documents.map((document) => `${toYaml(document)}\n`).join('---\n');
  await writeFile(path, text, { flag: 'wx', mode }).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(`${path} ${isThere ? 'exists already' : `cannot be written: ${systemErrorText(error)}`}`);
  });
  return path;
}
