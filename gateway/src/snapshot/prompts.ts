/** The prompt library of a Snapshot: what references lead to; docs/behaviour/prompts.md. */
import {
  type PromptReference,
  parsePartialReference,
  parsePromptReference,
  type VersionChoice,
} from '@gatehouse/crds/prompts';
import type { LayeredMap } from '../lib/layered-map.ts';
import type { CompiledPartial, CompiledPrompt } from '../prompts/index.ts';
import { type LibraryRecord, type VersionRecord, versionKey } from './prompt-records.ts';
import { type LibraryTables, ORGANISATION, type Scope } from './tables.ts';

/** Answers of the library about one workspace. */
export interface PromptLibrary {
  /** What a reference leads to: looked up in the workspace, then in the organisation. Undefined: nowhere. */
  prompt(workspace: string, reference: string): CompiledPrompt | undefined;
  /** For a prompt of this owner; null: the organisation, whose partials no workspace replaces. */
  partial(owner: string | null, reference: string): CompiledPartial | undefined;
  /** Slugs of the prompts that `prompt` finds, those of the workspace first. */
  slugs(workspace: string): readonly string[];
}

export function createPromptLibrary(tables: LibraryTables): PromptLibrary {
  const { prompts, partials } = tables;
  const promptVersions = versionsOf(tables.promptVersions);
  const partialVersions = versionsOf(tables.partialVersions);
  return {
    prompt: (workspace, reference) => {
      const read = parsePromptReference(reference);
      if (!read.ok) return undefined;
      const record = recordOf(prompts, [workspace, ORGANISATION], read.value);
      const found = record && promptVersions(record, read.value.version);
      return (
        found && { slug: record.slug, workspace: record.workspace, version: found.version, template: found.content }
      );
    },
    partial: (owner, reference) => {
      const read = parsePartialReference(reference);
      if (!read.ok) return undefined;
      const record = recordOf(partials, owner === null ? [ORGANISATION] : [owner, ORGANISATION], read.value);
      const found = record && partialVersions(record, read.value.version);
      return found && { version: found.version, template: found.content };
    },
    slugs: (workspace) => [
      ...new Set([workspace, ORGANISATION].flatMap((scope) => [...(prompts.get(scope)?.keys() ?? [])])),
    ],
  };
}

function recordOf<T>(
  table: LayeredMap<Scope<LibraryRecord<T>>>,
  scopes: readonly string[],
  { slug }: PromptReference,
): LibraryRecord<T> | undefined {
  for (const scope of scopes) {
    const record = table.get(scope)?.get(slug);
    if (record !== undefined) return record;
  }
  return undefined;
}

interface Found<T> {
  readonly version: number;
  readonly content: T;
}

function versionsOf<T>(
  table: LayeredMap<Scope<VersionRecord<T>>>,
): (record: LibraryRecord<T>, choice: VersionChoice) => Found<T> | undefined {
  const newest = new Map<string, ReadonlyMap<string, number>>();
  const latestOf = ({ workspace, slug }: LibraryRecord<T>): number => {
    const scope = workspace ?? ORGANISATION;
    let known = newest.get(scope);
    if (known === undefined) {
      known = newestIn(table.get(scope));
      newest.set(scope, known);
    }
    return known.get(slug) ?? 1;
  };
  return (record, choice) => {
    const version = numberOf(record, choice, latestOf);
    if (version === undefined) return undefined;
    const { workspace, slug, inline } = record;
    if (version === 1 && inline !== undefined) return { version, content: inline };
    return table.get(workspace ?? ORGANISATION)?.get(versionKey({ slug, version }));
  };
}

function numberOf<T>(
  record: LibraryRecord<T>,
  choice: VersionChoice,
  latestOf: (record: LibraryRecord<T>) => number,
): number | undefined {
  switch (choice.kind) {
    case 'number':
      return choice.number;
    case 'default':
      return record.published;
    case 'latest':
      return latestOf(record);
    case 'label':
      return record.labels.get(choice.label);
  }
}

/** Counted once for each workspace that asks for the latest version of anything. */
function newestIn(versions: Scope<VersionRecord<unknown>> | undefined): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { slug, version } of versions?.values() ?? []) {
    newest.set(slug, Math.max(version, newest.get(slug) ?? 1));
  }
  return newest;
}
