/** `gatehouse replay`: docs/behaviour/request-logs.md#replay */
import { existsSync } from 'node:fs';
import {
  type LoggedTrace,
  type RecordedRequest,
  readLoggedTrace,
  replayRequest,
  type Variables,
} from '@gatehouse/gateway';
import { type FoundContent, findContent } from '@gatehouse/operator/management';
import { logObjectsOf } from '../../database/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command, Invocation } from '../command.ts';
import { DATA_OPTION, DATABASE_NOTE, withLogDatabase } from '../log-database.ts';
import { renderedSnapshot, snapshotOf } from '../offline-snapshot.ts';
import { CommandError, type Shell, UsageError } from '../shell.ts';
import { type Compared, type Comparison, compare, finalOf } from './compare.ts';
import { readRecordFile } from './record-file.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'makes the decision about a logged request again, without calling a provider',
  operands: { value: 'TRACE|FILE' },
  options: {
    resources: { value: 'DIR', summary: 'the folder of resources that decides', completes: 'folders' },
    snapshot: { value: 'FILE', summary: 'instead of it: what gatehouse render has printed', completes: 'files' },
    workspace: { value: 'SLUG', short: 'w', summary: 'the workspace of TRACE, where more than one has it' },
    data: DATA_OPTION,
    output: { value: 'table|json', short: 'o', summary: 'output format', default: 'table', choices: ['table', 'json'] },
  },
  notes: [
    'TRACE is the id of a trace; FILE what gatehouse logs show has printed, of which the last attempt is known.',
    DATABASE_NOTE,
    'Documents in a store of objects are read from there, with LOG_STORE and its settings as gateways have them.',
    'Providers and services are not called: each gives what the record says. Secrets may be missing in the folder.',
    'Exit status: 0 if the decision is the same or possible, 1 if it differs, 2 if it cannot be made.',
  ],
  examples: [
    { purpose: 'whether a request would go the same way today', line: 'gatehouse replay trace-1 --resources examples' },
    { purpose: 'the same for other programs', line: 'gatehouse replay trace-1 --resources examples -o json' },
  ],
  async run(invocation: Invocation) {
    const { shell, options } = invocation;
    const { resources, snapshot: rendered } = options;
    const [source = '', ...more] = invocation.operands;
    if (more.length > 0) throw new UsageError('replay takes one TRACE or FILE');
    if ((resources === undefined) === (rendered === undefined))
      throw new UsageError('either --resources or --snapshot is needed');
    try {
      const { recorded, note } = await recordOf(source, invocation);
      const snapshot =
        rendered === undefined ? await snapshotOf([resources ?? ''], shell) : await renderedSnapshot(rendered);
      const comparison = compare(recorded, await replayRequest(snapshot, recorded, Date.now()));
      print(
        note === undefined ? comparison : { ...comparison, notes: [note, ...comparison.notes] },
        options['output'],
        shell,
      );
      return comparison.rows.some(({ verdict }) => verdict === 'differs') ? DIFFERS : 0;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      shell.err(toPrintable(`gatehouse replay: ${message}`));
      return UNUSABLE;
    }
  },
};

const DIFFERS = 1;
/** Apart from a difference, for scripts. */
const UNUSABLE = 2;

interface Found {
  readonly recorded: RecordedRequest;
  /** Why its document is missing, although there was one. */
  readonly note?: string | undefined;
}

async function recordOf(source: string, invocation: Invocation): Promise<Found> {
  const { workspace } = invocation.options;
  if (!existsSync(source)) return traceOf(source, invocation);
  if (workspace !== undefined) throw new UsageError(`--workspace is for a TRACE: ${source} is a file`);
  return { recorded: await readRecordFile(source) };
}

async function traceOf(traceId: string, invocation: Invocation): Promise<Found> {
  const { workspace } = invocation.options;
  const found = await withLogDatabase(invocation, (database) => readLoggedTrace(database, { traceId, workspace }));
  if (found.kind === 'found') {
    const { content, note } = await documentOf(found, invocation.shell.variables);
    return { recorded: { rows: found.rows, isWhole: true, request: content?.request }, note };
  }
  const where = workspace === undefined ? '' : ` in the workspace ${workspace}`;
  if (found.kind === 'several')
    throw new CommandError(
      `requests of several workspaces have the trace ${traceId}; --workspace takes one of ${found.workspaces.join(', ')}`,
    );
  if (found.kind === 'recorded')
    throw new CommandError(`what the request log has of the trace ${traceId}${where} did not go through the gateway`);
  throw new CommandError(`the request log has no trace ${traceId}${where}, and there is no such file`);
}

/** From the store of objects that the variables name, where the row says so. Throws CommandError. */
async function documentOf(
  { rows, content }: Extract<LoggedTrace, { kind: 'found' }>,
  variables: Variables,
): Promise<FoundContent> {
  const row = finalOf({ rows });
  if (row.document === 'none' || row.document === 'database') return { content };
  const objects = logObjectsOf(variables);
  if (!objects.ok) throw new CommandError(objects.error);
  if (objects.value === undefined) return { note: NO_STORE };
  return findContent(row, { reader: { content: async () => undefined }, objects: objects.value });
}

const NO_STORE = 'its document is in a store of objects: LOG_STORE and its settings have to be those of the gateways';

const MARKS: Readonly<Record<Compared['verdict'], string>> = {
  same: '',
  possible: 'possible',
  differs: 'DIFFERS',
  unknown: 'unknown',
};

function print({ rows, notes }: Comparison, output: string | undefined, shell: Shell): void {
  if (output === 'json') {
    shell.out(JSON.stringify({ differs: rows.some(({ verdict }) => verdict === 'differs'), rows, notes }, null, 2));
    return;
  }
  const table = [
    ['', 'RECORDED', 'NOW', ''],
    ...rows.map(({ what, recorded, now, verdict }) => [what, recorded, now, MARKS[verdict]]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  for (const cells of table) {
    shell.out(
      toPrintable(
        cells
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd(),
      ),
    );
  }
  for (const note of notes) shell.out(`note: ${note}`);
}
