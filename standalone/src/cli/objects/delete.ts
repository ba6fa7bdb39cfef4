import { RestFailure } from '../../rest-client/index.ts';
import type { Family } from '../../rest-families/index.ts';
import type { ServedObjects } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command, Invocation } from '../command.ts';
import { type Shell, UsageError } from '../shell.ts';
import { CONNECTION_OPTIONS, connect, familyNamed, KEY_NOTE, KIND_NAMES, throwFailure } from './connection.ts';
import { FILE_OPTIONS, readFiles, reportProblems } from './files.ts';

/** Deletes objects of an installation. */
export const deleteObjects: Command = {
  name: 'delete',
  summary: 'deletes objects of an installation, by its management API',
  operands: { value: 'KIND NAME...', kinds: KIND_NAMES, named: true, optional: true },
  options: {
    ...FILE_OPTIONS,
    'ignore-not-found': { summary: 'an object that is not there is no error' },
    'dry-run': { summary: 'says what would be deleted, and deletes nothing' },
    ...CONNECTION_OPTIONS,
  },
  notes: [
    KEY_NOTE,
    'With -f the objects of the files are deleted, the last that apply makes first. An object that others use is refused.',
    'Exit status: 0 when all of them are gone, 1 when some are not.',
  ],
  examples: [
    { purpose: 'one object', line: 'gatehouse delete ratelimitpolicy team-limit -w team-a --ignore-not-found' },
    {
      purpose: 'what a folder has',
      line: 'gatehouse delete -f docs/guide/management-client/team-a --ignore-not-found --dry-run',
    },
  ],
  async run({ shell, options, operands }) {
    const named = operands.length > 0 ? namedObjects(operands, options) : await fromFiles({ shell, options });
    if (named === undefined) return 1;
    const served = await connect({ shell, options });
    let left = 0;
    for (const one of named) if (!(await remove(one, { served, shell, options }))) left += 1;
    return left === 0 ? 0 : 1;
  },
};

interface Named {
  readonly family: Family;
  readonly name: string;
  readonly workspace: string | undefined;
}

type Options = Invocation['options'];

function namedObjects([kind = '', ...names]: readonly string[], { filename, workspace }: Options): readonly Named[] {
  if (filename !== undefined) throw new UsageError('takes KIND and NAME, or -f, not both');
  if (names.length === 0) throw new UsageError('NAME is missing');
  const family = familyNamed(kind);
  return names.map((name) => ({ family, name, workspace }));
}

async function fromFiles(given: Pick<Invocation, 'shell' | 'options'>): Promise<readonly Named[] | undefined> {
  const { wanted, problems } = await readFiles(given);
  return reportProblems(problems, given.shell) ? undefined : wanted.toReversed();
}

interface Removal {
  readonly served: ServedObjects;
  readonly shell: Shell;
  readonly options: Options;
}

/** Returns whether it is gone. */
async function remove({ family, name, workspace }: Named, { served, shell, options }: Removal): Promise<boolean> {
  const label = toPrintable(`${family.kind}/${name}`);
  try {
    const object = await served.get(family, name, workspace);
    if (object === undefined) {
      shell.err(`${label} does not exist`);
      return options['ignore-not-found'] === 'true';
    }
    const isDryRun = options['dry-run'] === 'true';
    if (!isDryRun) await served.delete(object);
    shell.out(`${label} deleted${isDryRun ? ' (dry run)' : ''}`);
    return true;
  } catch (error) {
    if (!(error instanceof RestFailure)) throw error;
    if (!error.isAboutObject) throwFailure(error);
    shell.err(toPrintable(`${label}: ${error.message}`));
    return false;
  }
}
