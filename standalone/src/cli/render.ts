import { type AnyEntry, SECRET_ENTRY_KINDS, type Snapshot } from '@gatehouse/crds/snapshot';
import { stringify } from 'yaml';
import { createResourceFolder, problemLines } from '../resource-folder/index.ts';
import { toPrintable } from '../terminal/index.ts';
import type { Command } from './command.ts';
import { capsOf, checkReadable } from './preflight.ts';

const REDACTED = '[redacted]';

/** Prints the Snapshot that gateways would get; problems are printed to standard error. */
export const render: Command = {
  name: 'render',
  summary: 'prints the Snapshot of a folder, without secrets',
  operands: { value: 'DIR' },
  options: { format: { value: 'yaml|json', summary: 'output format', default: 'yaml', choices: ['yaml', 'json'] } },
  examples: [
    { purpose: 'what gateways get of a folder', line: 'gatehouse render examples' },
    { purpose: 'the same for other programs', line: 'gatehouse render examples --format json' },
  ],
  async run({ shell, operands, options: { format } }) {
    await checkReadable(operands);
    const folder = createResourceFolder(operands, {
      variables: shell.variables,
      caps: capsOf(shell.variables),
      now: () => performance.now(),
    });
    const { state } = await folder.refresh();
    for (const line of problemLines(state.problems)) shell.err(line);
    const shown = redactSnapshot(state.snapshot);
    const text =
      format === 'json' ? JSON.stringify(shown, null, 2) : stringify(shown, { aliasDuplicateObjects: false }).trimEnd();
    shell.out(shell.interactive ? text.split('\n').map(toPrintable).join('\n') : text);
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
