import { formatPath, isObject } from '@gatehouse/crds';
import type { Planned } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command } from '../command.ts';
import type { Shell } from '../shell.ts';
import { CommandError } from '../shell.ts';
import { CONNECTION_OPTIONS, connect, KEY_NOTE } from './connection.ts';
import { FILE_OPTIONS, planAll, readFiles, reportProblems } from './files.ts';

/** It is not known whether there are differences. */
const FAILED = 2;

/** Shows what `apply` would change. */
export const diff: Command = {
  name: 'diff',
  summary: 'shows how objects of an installation differ from files',
  options: { ...FILE_OPTIONS, ...CONNECTION_OPTIONS },
  notes: [
    KEY_NOTE,
    'A line with - is what is served, one with + what the file says. Credentials cannot be compared and are never shown.',
    'Exit status: 0 without differences, 1 with some, 2 when the command failed.',
  ],
  examples: [
    {
      purpose: 'what a folder would change',
      line: 'gatehouse diff -f docs/guide/management-client/team-a',
    },
  ],
  async run({ shell, options }) {
    try {
      const files = await readFiles({ shell, options });
      const served = await connect({ shell, options });
      const { plans, problems } = await planAll(files, served, false);
      if (reportProblems(problems, shell)) return FAILED;
      const changed = plans.filter(({ action }) => action !== 'none');
      for (const plan of changed) show(plan, shell);
      return changed.length === 0 ? 0 : 1;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      shell.err(toPrintable(`gatehouse diff: ${error.message}`));
      return FAILED;
    }
  },
};

function show({ wanted, action, differences }: Planned, shell: Shell): void {
  const { family, name, located } = wanted;
  const { line } = located.object.locate([]);
  const isNew = action === 'create' ? ', which is not served' : '';
  shell.out(toPrintable(`${family.kind}/${name} (${located.file}:${line})${isNew}`));
  for (const { param, served, wanted: value } of differences) {
    const path = formatPath(family.pathOf(param));
    if (isPresent(served)) shell.out(toPrintable(`  - ${path}: ${JSON.stringify(served)}`));
    if (isPresent(value)) shell.out(toPrintable(`  + ${path}: ${JSON.stringify(value)}`));
  }
}

/** A member that a body takes away is null. */
const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && !(isObject(value) && Object.keys(value).length === 0);
