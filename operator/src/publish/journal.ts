/**
 * The journal of a fleet: the names of shards that the manifest no longer has, since the operator deletes by name and never
 * lists Secrets; and the last announced revision, since a manifest restored from a backup holds an older one.
 */
import { parseJson } from '@gatehouse/crds';
import { canonicalJson, type Revision } from '@gatehouse/crds/snapshot';
import { z } from 'zod';

export const JOURNAL_KEY = 'journal.json';

/** The ConfigMap of the journal. */
export const journalName = (fleet: string): string => `${fleet}-shards`;

/** Shards that were unreferenced for less time may still be read by a gateway. */
export const MIN_UNREFERENCED_MS = 10 * 60_000;
/** Rows beyond these are collected early: more would not fit into a ConfigMap of 1 MiB. */
export const MAX_ROWS = 8_000;

const MAX_NUMBER = 2 ** 48;
const count = z.int().min(0).max(MAX_NUMBER).catch(0);
const row = z.object({ name: z.string(), secret: z.boolean(), sinceMs: z.number() });
const schema = z.object({
  /** The identity of the leader that writes. */
  publisher: z.string(),
  /** The last announced revision; 0 in a journal of a release without epochs. */
  epoch: count,
  version: count,
  /** When shards were collected last, in ms since 1970. */
  collectedAtMs: z.number().default(0),
  shards: z.array(row),
});

export type JournalRow = Readonly<z.output<typeof row>>;
export interface Journal extends Revision {
  readonly publisher: string;
  readonly collectedAtMs: number;
  /** `sinceMs`: since when nothing has named the shard, in ms since 1970. */
  readonly shards: readonly JournalRow[];
}

export const EMPTY_JOURNAL: Journal = { publisher: '', epoch: 0, version: 0, collectedAtMs: 0, shards: [] };

export const renderJournal = (journal: Journal): string => canonicalJson(journal);

/** Undefined when it cannot be parsed: shards it knew stay until their fleet is deleted. */
export function parseJournal(text: string): Journal | undefined {
  try {
    return schema.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}

export interface NamedShard {
  readonly name: string;
  readonly secret: boolean;
}

/** The rows before a publish that replaces one list of named shards by another. */
export function rowsBefore(
  rows: readonly JournalRow[],
  { before, after }: { readonly before: readonly NamedShard[]; readonly after: readonly NamedShard[] },
  nowMs: number,
): readonly JournalRow[] {
  const [was, willBe] = [namesOf(before), namesOf(after)];
  const moving = [...before.filter(({ name }) => !willBe.has(name)), ...after.filter(({ name }) => !was.has(name))];
  const fresh = moving.map(({ name, secret }) => ({ name, secret, sinceMs: nowMs }));
  const renewed = namesOf(fresh);
  return [...rows.filter(({ name }) => !renewed.has(name) && !(was.has(name) && willBe.has(name))), ...fresh];
}

/** Shards to delete: not named, and for long enough. */
export function dueRows(
  rows: readonly JournalRow[],
  named: readonly NamedShard[],
  nowMs: number,
): readonly JournalRow[] {
  const names = namesOf(named);
  const unnamed = rows.filter(({ name }) => !names.has(name));
  const overflow = unnamed.length - MAX_ROWS;
  return unnamed.filter(({ sinceMs }, i) => i < overflow || nowMs - sinceMs >= MIN_UNREFERENCED_MS);
}

const namesOf = (shards: readonly NamedShard[]): ReadonlySet<string> => new Set(shards.map(({ name }) => name));
