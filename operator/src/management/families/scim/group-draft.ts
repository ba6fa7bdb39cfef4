/** What a directory says of a group, and how its changes add up: pure. */
import type { Change } from './changes.ts';
import type { Term } from './filter.ts';
import { scimError } from './problem.ts';
import { itemsOf, textOf } from './values.ts';

/** People in one group. */
export const MAX_MEMBERS = 10_000;

export interface GroupDraft {
  readonly displayName: string | undefined;
  readonly externalId: string | undefined;
  readonly members: ReadonlySet<string>;
}

export const NEW_GROUP: GroupDraft = { displayName: undefined, externalId: undefined, members: new Set() };

const UNUSED: ReadonlySet<string> = new Set(['schemas', 'id', 'meta']);

function idsIn(value: unknown): readonly string[] {
  return itemsOf(value, 'members', MAX_MEMBERS).map((item) => {
    const id = textOf(item['value'], 'members.value');
    if (id === undefined) throw scimError('invalidValue', 'members.value: expected the id of a user');
    return id.toLowerCase();
  });
}

function idsOf(terms: readonly Term[]): readonly string[] {
  const other = terms.find(({ attribute }) => attribute !== 'value');
  if (other !== undefined) throw scimError('invalidPath', `path: members are not found by ${other.attribute}`);
  return terms.map(({ value }) => String(value).toLowerCase());
}

/** Who is taken out: those of the path, those of the value, or all. */
function withoutMembers(members: ReadonlySet<string>, { path: { any }, value }: Change): ReadonlySet<string> {
  if (any !== undefined) return members.difference(new Set(idsOf(any)));
  if (value === undefined || value === null) return new Set();
  return members.difference(new Set(idsIn(value)));
}

function membersAfter(members: ReadonlySet<string>, change: Change): ReadonlySet<string> {
  if (change.op === 'remove') return withoutMembers(members, change);
  if (change.path.any !== undefined) throw scimError('invalidPath', 'path: members of a group are added and removed');
  const given = new Set(idsIn(change.value));
  const after = change.op === 'add' ? members.union(given) : given;
  if (after.size > MAX_MEMBERS) throw scimError('invalidValue', `members: a group has at most ${MAX_MEMBERS}`);
  return after;
}

/** Throws RestError for values that are none, and for paths that no group has. */
export function applyToGroup(draft: GroupDraft, changes: readonly Change[]): GroupDraft {
  let { displayName, externalId, members } = draft;
  for (const change of changes) {
    const { name, isExtension } = change.path;
    const value = change.op === 'remove' ? undefined : change.value;
    if (name === 'members') members = membersAfter(members, change);
    else if (name === 'displayname') displayName = textOf(value, 'displayName')?.trim();
    else if (name === 'externalid') externalId = textOf(value, 'externalId');
    else if (change.isNamed && !isExtension && !UNUSED.has(name)) {
      throw scimError('invalidPath', `path: a Group has no attribute ${name}`);
    }
  }
  return { displayName, externalId, members };
}
