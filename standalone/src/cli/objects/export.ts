import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPath } from '@gatehouse/crds';
import { variableOf } from '../../resource-folder/index.ts';
import { FAMILIES, type Family } from '../../rest-families/index.ts';
import { type Served, toResource } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command } from '../command.ts';
import { systemErrorText } from '../preflight.ts';
import { CommandError, type Shell } from '../shell.ts';
import { CONNECTION_OPTIONS, connect, familyNamed, KEY_NOTE, KIND_NAMES, throwFailure } from './connection.ts';
import { toYaml } from './yaml.ts';

/** Writes objects of an installation as resources for Git. */
export const exportObjects: Command = {
  name: 'export',
  summary: 'writes objects of an installation as resources for Git',
  operands: { value: '[KIND...]', kinds: KIND_NAMES, optional: true },
  options: {
    output: {
      value: 'DIR',
      short: 'o',
      summary: 'a folder for KIND/NAME.yaml; absent: one text',
      completes: 'folders',
    },
    namespace: { value: 'NAMESPACE', short: 'n', summary: 'the namespace of the resources; absent: they name none' },
    ...CONNECTION_OPTIONS,
  },
  notes: [
    KEY_NOTE,
    'Resources have no status and no fields of servers. Credentials are in no answer: what has to be supplied is listed on standard error.',
    'Fields that the management API does not have are not exported; they are named there, too. A file that is there is not replaced.',
  ],
  examples: [
    { purpose: 'all objects of a workspace', line: 'gatehouse export -w team-a -n team-a' },
    { purpose: 'its configs as files', line: 'gatehouse export gatewayconfig -w team-a -n team-a -o exported' },
  ],
  async run({ shell, options, operands }) {
    const families = operands.length === 0 ? FAMILIES : operands.map(familyNamed);
    const served = await connect({ shell, options });
    const { workspace, namespace, output } = options;
    for (const family of families) {
      const objects = await served.list(family, workspace).catch(throwFailure);
      for (const object of objects) {
        const text = `${toYaml(toResource(object, namespace))}\n`;
        if (output === undefined) shell.out(`---\n${text.trimEnd()}`);
        else shell.out(toPrintable(await write(text, object, output)));
        for (const line of missingLines(object)) shell.err(toPrintable(line));
      }
      sayUnknown(family, objects, shell);
    }
    return 0;
  },
};

/** Names of objects are names of files: they are made of letters, digits, dots and dashes. */
async function write(text: string, { family, name }: Served, folder: string): Promise<string> {
  const path = join(folder, family.kind.toLowerCase(), `${encodeURIComponent(name)}.yaml`);
  try {
    await mkdir(join(folder, family.kind.toLowerCase()), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(`${path} ${isThere ? 'exists already' : `cannot be written: ${systemErrorText(error)}`}`);
  }
  return path;
}

function missingLines({ family, name, missing }: Served): readonly string[] {
  return missing.map(({ path, secret }) => {
    const where = `${family.kind}/${name}: ${formatPath(path)}`;
    if (secret === undefined) return `supply ${where}`;
    return `supply Secret ${secret.name}, entry ${secret.key} (or ${variableOf(secret.name, secret.key)}): ${where}`;
  });
}

function sayUnknown({ kind, unknown }: Family, objects: readonly Served[], shell: Shell): void {
  if (objects.length === 0 || unknown.length === 0) return;
  shell.err(
    `not exported, since the management API does not show it: ${kind} ${unknown.map((one) => `spec.${one}`).join(', ')}`,
  );
}
