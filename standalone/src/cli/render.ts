import { type AnyEntry, SECRET_ENTRY_KINDS, type Snapshot } from '@gatehouse/crds/snapshot';
import { stringify } from 'yaml';
import { createResourceFolder, formatProblem } from '../resource-folder/index.ts';
import type { Command } from './command.ts';
import { capsOf, checkReadable } from './preflight.ts';
import { UsageError } from './shell.ts';

const REDACTED = '[redacted]';

/** Prints the Snapshot that gateways would get; problems are printed to standard error. */
export const render: Command = {
  name: 'render',
  summary: 'prints the Snapshot of a folder, without secrets',
  operands: 'DIR',
  options: { format: { value: 'yaml|json', summary: 'output format', default: 'yaml' } },
  async run({ shell, operands, options: { format } }) {
    if (format !== 'yaml' && format !== 'json') throw new UsageError(`--format takes yaml or json, not ${format}`);
    await checkReadable(operands);
    const folder = createResourceFolder(operands, {
      variables: shell.variables,
      caps: capsOf(shell.variables),
      now: () => performance.now(),
    });
    const { state } = await folder.refresh();
    for (const problem of state.problems) shell.err(formatProblem(problem));
    const shown = redactSnapshot(state.snapshot);
    shell.out(
      format === 'json' ? JSON.stringify(shown, null, 2) : stringify(shown, { aliasDuplicateObjects: false }).trimEnd(),
    );
    return 0;
  },
};

/** Replaces secrets, their hashes, and digests derived from them. */
export function redactSnapshot({ schemaVersion, entries }: Snapshot): object {
  return {
    schemaVersion,
    entries: entries.map((entry) => (SECRET_ENTRY_KINDS.has(entry.kind) ? redact(entry) : entry)),
  };
}

function redact(entry: AnyEntry): object {
  const shown = { ...entry, digest: REDACTED };
  if (entry.kind === 'key') return { ...shown, body: { ...entry.body, sha256: entry.body.sha256.map(() => REDACTED) } };
  if (entry.kind !== 'credential') return { ...shown, body: REDACTED };
  const { fields, headers } = entry.body;
  return {
    ...shown,
    body: { fields: redactValues(fields), ...(headers === undefined ? {} : { headers: redactValues(headers) }) },
  };
}

const redactValues = (values: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]));
