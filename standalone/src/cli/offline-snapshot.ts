/** The Snapshot of resources, for commands that call nothing. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isObject, parseJson } from '@gatehouse/crds';
import { isReadable, type Snapshot } from '@gatehouse/crds/snapshot';
import { parse } from 'yaml';
import { countProblems, createResourceFolder, type FileProblem, problemLines } from '../resource-folder/index.ts';
import { capsOf, checkReadable } from './preflight.ts';
import { CommandError, type Shell } from './shell.ts';

/**
 * Secrets may be missing: nothing is called. Throws CommandError where something of the resources would be left out, unless it does not
 * matter; that is said.
 */
export async function snapshotOf(
  paths: readonly string[],
  { variables, err }: Pick<Shell, 'variables' | 'err'>,
  matters: (problem: FileProblem) => boolean = () => true,
): Promise<Snapshot> {
  await checkReadable(paths);
  const folder = createResourceFolder(paths, {
    ...{ variables, caps: capsOf(variables), standIns: true },
    now: () => performance.now(),
  });
  const { state } = await folder.refresh();
  const { true: wrong = [], false: others = [] } = Object.groupBy(state.problems, (one) => `${matters(one)}`);
  for (const line of problemLines(wrong)) err(line);
  if (wrong.length > 0) throw new CommandError('the resources have problems: nothing was done');
  if (others.length > 0) err(`${countProblems(others)}, which do not matter here: gatehouse validate shows them`);
  return state.snapshot;
}

/** Larger ones are no Snapshots of one fleet. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What `gatehouse render` has printed. Throws CommandError. */
export async function renderedSnapshot(path: string): Promise<Snapshot> {
  await checkReadable([path]);
  if ((await stat(path)).size > MAX_BYTES) throw new CommandError(`${path} has more than ${MAX_BYTES} bytes`);
  const given = documentOf(await readFile(path, 'utf8'));
  const version = isObject(given) ? given['schemaVersion'] : undefined;
  const entries = isObject(given) ? given['entries'] : undefined;
  const isSnapshot = isObject(version) && typeof version['major'] === 'number' && typeof version['minor'] === 'number';
  if (!isSnapshot || !Array.isArray(entries) || !entries.every(isObject))
    throw new CommandError(`${path} is not a Snapshot as gatehouse render prints it`);
  const snapshot = { schemaVersion: version, entries: entries.map(withoutGaps) } as unknown as Snapshot; // entries are checked when it is loaded
  if (isReadable(snapshot.schemaVersion)) return snapshot;
  throw new CommandError(`${path} is of another version of Gatehouse`);
}

function documentOf(text: string): unknown {
  try {
    return text.trimStart().startsWith('{') ? parseJson(text) : parse(text);
  } catch {
    return undefined; // the error quotes the text
  }
}

/** Hashes of keys and digests are not printed: others stand in for them, which are those of no key. */
function withoutGaps(entry: Readonly<Record<string, unknown>>): object {
  const { kind, id, body } = entry;
  if (kind !== 'key' && kind !== 'credential') return entry;
  const digest = createHash('sha256')
    .update(`stand-in for ${String(id)}`)
    .digest('hex');
  if (kind === 'credential' || !isObject(body)) return { ...entry, digest };
  const { previous: _, ...others } = body;
  return { ...entry, digest, body: { ...others, sha256: [digest] } };
}
