import { createResourceFolder, formatProblem } from '../resource-folder/index.ts';
import type { Command } from './command.ts';
import { capsOf, checkReadable } from './preflight.ts';

/** Validates files as a standalone process does, and reports all problems. */
export const validate: Command = {
  name: 'validate',
  summary: 'checks resources: schema, references and routing configs',
  operands: 'FILE|DIR...',
  options: {},
  async run({ shell, operands }) {
    await checkReadable(operands);
    const folder = createResourceFolder(operands, {
      variables: shell.variables,
      caps: capsOf(shell.variables),
      now: () => performance.now(),
    });
    const { state } = await folder.refresh();
    for (const problem of state.problems) shell.out(formatProblem(problem));
    const { length } = state.problems;
    const what = `${count(state.objects, 'object')} in ${count(state.files, 'file')}`;
    if (length === 0) shell.out(`${what}, no problems`);
    else shell.err(`${what}, ${count(length, 'problem')}`);
    return length === 0 ? 0 : 1;
  },
};

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
