import { type FileProblem, problemLines } from '../../resource-folder/index.ts';
import { RestFailure } from '../../rest-client/index.ts';
import { type Planned, problemAt, type ServedObjects } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command } from '../command.ts';
import { CommandError, type Shell } from '../shell.ts';
import { CONNECTION_OPTIONS, connect, KEY_NOTE } from './connection.ts';
import { FILE_OPTIONS, planAll, readFiles, reportProblems } from './files.ts';
import { type NewKeys, openNewKeys } from './new-keys.ts';

/** Writes the objects of files into an installation. */
export const apply: Command = {
  name: 'apply',
  summary: 'creates and changes objects of an installation as files say, by its management API',
  options: {
    ...FILE_OPTIONS,
    'dry-run': { summary: 'says what would be written, and writes nothing' },
    credentials: { summary: 'also writes credentials of objects that are there: they cannot be compared' },
    'new-keys': {
      value: 'FILE',
      summary: 'a new file, mode 0600, for the keys of ApiKeys that are made',
      completes: 'files',
    },
    ...CONNECTION_OPTIONS,
  },
  notes: [
    KEY_NOTE,
    'All files are checked first: with a problem, nothing is written. What the server refuses then is reported and the next object',
    'is tried; without an answer, or with a key that may not write, the command stops.',
    'Exit status: 0 when everything is as the files say, 1 when something is not.',
  ],
  examples: [
    { purpose: 'what a folder would change', line: 'gatehouse apply -f docs/guide/management-client/team-a --dry-run' },
    { purpose: 'a folder', line: 'gatehouse apply -f docs/guide/management-client/team-a' },
  ],
  async run({ shell, options }) {
    const files = await readFiles({ shell, options });
    const served = await connect({ shell, options });
    const { plans, problems } = await planAll(files, served, options['credentials'] === 'true');
    const makesKeys = plans.some(isNewKey);
    const isDryRun = options['dry-run'] === 'true';
    const path = options['new-keys'];
    const all = makesKeys && path === undefined ? [...problems, ...plans.filter(isNewKey).map(keyProblem)] : problems;
    if (reportProblems(all, shell)) return 1;
    if (isDryRun) {
      for (const plan of plans) say(plan, shell, ' (dry run)');
      return 0;
    }
    await using newKeys = makesKeys && path !== undefined ? await openNewKeys(path) : undefined;
    return (await writeAll(plans, { served, shell, newKeys })) ? 0 : 1;
  },
};

const isNewKey = ({ action, wanted }: Planned): boolean => action === 'create' && wanted.family.kind === 'ApiKey';

const keyProblem = ({ wanted }: Planned): FileProblem =>
  problemAt(wanted.located, [], 'a key is made and shown once: --new-keys FILE says where to');

const OUTCOMES = { create: 'created', update: 'configured', none: 'unchanged' } as const;

function say({ action, wanted }: Planned, shell: Shell, suffix = ''): void {
  shell.out(toPrintable(`${wanted.family.kind}/${wanted.name} ${OUTCOMES[action]}${suffix}`));
}

interface Writing {
  readonly served: ServedObjects;
  readonly shell: Shell;
  readonly newKeys: NewKeys | undefined;
}

/** Returns whether all of them were written. */
async function writeAll(plans: readonly Planned[], { served, shell, newKeys }: Writing): Promise<boolean> {
  let refused = 0;
  for (const [at, plan] of plans.entries()) {
    try {
      await write(plan, { served, newKeys });
      say(plan, shell);
    } catch (error) {
      if (!(error instanceof RestFailure)) throw error;
      for (const line of problemLines(problemsOf(plan, error))) shell.err(line);
      const rest = plans.length - at - 1;
      if (!error.isAboutObject) throw new CommandError(`stopped: ${rest} of ${plans.length} objects were not tried`);
      refused += 1;
    }
  }
  if (refused > 0) shell.err(`${refused} of ${plans.length} objects were refused`);
  return refused === 0;
}

async function write(
  { action, wanted, id, body, segments }: Planned,
  { served, newKeys }: Pick<Writing, 'served' | 'newKeys'>,
): Promise<void> {
  const { family, name } = wanted;
  if (action === 'create') {
    const { key } = await served.create(family, body, segments);
    if (typeof key === 'string') await newKeys?.add(name, key);
  } else if (action === 'update' && id !== undefined) {
    await served.update({ family, id }, body);
  }
}

/** The fields of a refusal, at their positions in the file. */
function problemsOf(
  { wanted: { located, family } }: Planned,
  { message, fields }: RestFailure,
): readonly FileProblem[] {
  if (fields.length === 0) return [problemAt(located, [], message)];
  return fields.map((field) => problemAt(located, family.pathOf(field.param), field.message));
}
