/** `gatehouse logs`: the request log of an installation, by its management API. */
import type { Command, Invocation } from '../command.ts';
import { CONNECTION_OPTIONS, connectClient, KEY_NOTE, throwFailure } from '../objects/index.ts';
import { UsageError } from '../shell.ts';
import { exportLogs } from './export.ts';
import { FILTER_OPTIONS } from './filters.ts';
import { show } from './show.ts';
import { tail } from './tail.ts';

const ACTIONS = { tail, show, export: exportLogs } as const;
type Action = keyof typeof ACTIONS;

const isAction = (text: string): text is Action => Object.hasOwn(ACTIONS, text);

export const logs: Command = {
  name: 'logs',
  summary: 'shows and exports the request log of an installation',
  operands: { value: 'tail | show ID | export', actions: Object.keys(ACTIONS) },
  options: {
    follow: { short: 'f', summary: 'tail: shows new rows as they come' },
    limit: { value: 'NUMBER', short: 'n', summary: 'tail: rows at first (20); export: at most (50000)' },
    file: { value: 'FILE', summary: 'export: the new file', completes: 'files' },
    fields: { value: 'FIELD,...', summary: 'export: what each line has (id,trace_id,created_at,ai_model,…)' },
    ...FILTER_OPTIONS,
    output: {
      value: 'table|json',
      short: 'o',
      summary: 'tail: output format',
      default: 'table',
      choices: ['table', 'json'],
    },
    ...CONNECTION_OPTIONS,
  },
  notes: [
    KEY_NOTE,
    'tail needs logs.list, show logs.view, export logs.export. ID is that of a row, or a trace id.',
    'With --follow requests are shown when they end, with the time at which they began, unless they took more than ten minutes.',
  ],
  examples: [
    { purpose: 'what went wrong in the last hour', line: 'gatehouse logs tail -w team-a --since 1h --status 429,500' },
    { purpose: 'a request with its answer', line: 'gatehouse logs show trace-1 -w team-a' },
    { purpose: 'a week as a file', line: 'gatehouse logs export -w team-a --since 7d --file week.jsonl' },
  ],
  async run(invocation: Invocation) {
    const [action = '', ...operands] = invocation.operands;
    if (!isAction(action)) throw new UsageError(`${action} is none of ${Object.keys(ACTIONS).join(', ')}`);
    const client = await connectClient(invocation);
    return ACTIONS[action]({ ...invocation, operands }, client).catch(throwFailure);
  },
};
