import { countProblems, createResourceFolder, problemLines } from '../resource-folder/index.ts';
import { toPrintable } from '../terminal/index.ts';
import type { Command } from './command.ts';
import { capsOf, checkReadable } from './preflight.ts';

/** Validates files as a standalone process does, and reports all problems. */
export const validate: Command = {
  name: 'validate',
  summary: 'checks resources: schema, references and routing configs',
  operands: { value: 'FILE|DIR...' },
  options: {},
  notes: [
    'Each problem is one line: file:line:column: Kind/name: field: message. What follows from it is indented below it.',
    'Exit status: 0 without problems, 1 with some.',
  ],
  examples: [
    { purpose: 'a folder', line: 'gatehouse validate examples' },
    {
      purpose: 'single files, which may refer to each other',
      line: 'gatehouse validate examples/*.yaml examples/team-a',
    },
  ],
  async run({ shell, operands }) {
    await checkReadable(operands);
    const folder = createResourceFolder(operands, {
      variables: shell.variables,
      caps: capsOf(shell.variables),
      now: () => performance.now(),
    });
    const { state } = await folder.refresh();
    for (const line of problemLines(state.problems)) shell.out(line);
    const what = `${count(state.objects, 'object')} in ${count(state.files, 'file')}`;
    if (state.ignored.length > 0) shell.err(toPrintable(`ignored, not of Gatehouse: ${state.ignored.join(', ')}`));
    if (state.problems.length === 0) shell.out(`${what}, no problems`);
    else shell.err(`${what}, ${countProblems(state.problems)}`);
    return state.problems.length === 0 ? 0 : 1;
  },
};

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
