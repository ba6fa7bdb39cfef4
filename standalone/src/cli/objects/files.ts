/** The files of `-f`, and what an installation has of the objects in them. */
import { countProblems, type FileProblem, problemLines, readResourceFiles } from '../../resource-folder/index.ts';
import {
  type Planned,
  planObject,
  type Served,
  type ServedObjects,
  type Wanted,
  wantedObjects,
} from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Invocation, Option } from '../command.ts';
import { checkReadable } from '../preflight.ts';
import { type Shell, UsageError } from '../shell.ts';
import { throwFailure } from './connection.ts';

export const FILE_OPTIONS: Readonly<Record<string, Option>> = {
  filename: {
    value: 'FILE|DIR',
    short: 'f',
    summary: 'resources as YAML or JSON, with the Secrets they name',
    completes: 'files',
  },
  'skip-others': { summary: 'leaves out Kinds that these commands do not have; without it they are an error' },
};

interface ReadFiles {
  readonly wanted: readonly Wanted[];
  readonly problems: readonly FileProblem[];
  readonly secrets: Awaited<ReturnType<typeof readResourceFiles>>['secrets'];
}

/** Throws UsageError without `--filename`, CommandError for what cannot be read. */
export async function readFiles({ shell, options }: Pick<Invocation, 'shell' | 'options'>): Promise<ReadFiles> {
  const { filename, workspace } = options;
  if (filename === undefined) throw new UsageError('-f FILE|DIR is missing');
  await checkReadable([filename]);
  const { objects, problems, secrets } = await readResourceFiles([filename], shell.variables);
  const found = wantedObjects(objects, workspace);
  const isSkipped = options['skip-others'] === 'true';
  for (const { object } of isSkipped ? found.others : []) {
    shell.err(toPrintable(`${object.kind}/${object.name} left out: it is no Kind of these commands`));
  }
  const others = isSkipped ? [] : found.others.map(otherProblem);
  return { wanted: found.wanted, problems: [...problems, ...found.problems, ...others], secrets };
}

const otherProblem = ({ file, object }: Wanted['located']): FileProblem => ({
  file,
  ...object.locate(['kind']),
  object: `${object.kind}/${object.name}`,
  path: 'kind',
  message: 'it is no Kind of these commands: use kubectl for it, or leave it out with --skip-others',
});

export interface Plans {
  readonly plans: readonly Planned[];
  readonly problems: readonly FileProblem[];
}

/** Compares the objects with what is served; nothing is written. */
export async function planAll(
  { wanted, problems, secrets }: ReadFiles,
  served: ServedObjects,
  withCredentials: boolean,
): Promise<Plans> {
  const found: Planned[] = [];
  const all: FileProblem[] = [...problems];
  for (const one of wanted) {
    const current: Served | undefined = await served.get(one.family, one.name, one.workspace).catch(throwFailure);
    const plan = planObject(one, current, { secrets, withCredentials });
    if ('action' in plan) found.push(plan);
    else all.push(...plan);
  }
  return { plans: found, problems: all };
}

/** Writes the problems; returns whether there are some. */
export function reportProblems(problems: readonly FileProblem[], shell: Shell): boolean {
  if (problems.length === 0) return false;
  for (const line of problemLines(problems)) shell.err(line);
  shell.err(`${countProblems(problems)}; nothing was written`);
  return true;
}
