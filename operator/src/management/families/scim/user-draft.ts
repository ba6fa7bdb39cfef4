/** What a directory says of a person, and how its changes add up: pure. */
import { isObject } from '@gatehouse/crds';
import type { OrganisationRole } from '@gatehouse/crds/kinds';
import { z } from 'zod';
import type { Change } from './changes.ts';
import { scimError } from './problem.ts';
import { flagOf, inLowerCase, itemsOf, textOf } from './values.ts';

export interface UserDraft {
  readonly userName: string | undefined;
  readonly externalId: string | undefined;
  readonly displayName: string | undefined;
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly active: boolean;
  readonly email: string | undefined;
  readonly role: OrganisationRole;
}

export const NEW_USER: UserDraft = {
  ...{ userName: undefined, externalId: undefined, displayName: undefined, givenName: undefined },
  ...{ familyName: undefined, active: true, email: undefined, role: 'member' },
};

/** Attributes of the core schema that nothing here needs: they are not kept. */
const UNUSED: ReadonlySet<string> = new Set(
  (
    'schemas id meta groups password nickname profileurl title usertype preferredlanguage locale timezone ' +
    'phonenumbers ims photos addresses entitlements x509certificates'
  ).split(' '),
);
const MAX_VALUES = 50;
const email = z.email().max(254);

type Setter = (draft: UserDraft, change: Change) => UserDraft;

const removed = ({ op, value }: Change): unknown => (op === 'remove' ? undefined : value);

const SETTERS: Readonly<Record<string, Setter>> = {
  username: (draft, change) => ({ ...draft, userName: textOf(removed(change), 'userName')?.trim() }),
  externalid: (draft, change) => ({ ...draft, externalId: textOf(removed(change), 'externalId') }),
  displayname: (draft, change) => ({ ...draft, displayName: textOf(removed(change), 'displayName') }),
  active: (draft, change) => {
    if (change.op === 'remove') throw scimError('mutability', 'active: set it to false instead');
    return { ...draft, active: flagOf(change.value, 'active') };
  },
  name: setName,
  emails: setEmail,
  roles: setRole,
};

function setName(draft: UserDraft, change: Change): UserDraft {
  const { sub } = change.path;
  const value = removed(change);
  if (sub === 'givenname') return { ...draft, givenName: textOf(value, 'name.givenName') };
  if (sub === 'familyname') return { ...draft, familyName: textOf(value, 'name.familyName') };
  if (sub !== undefined) return draft; // made of both, or not kept
  if (value === undefined || value === null) return { ...draft, givenName: undefined, familyName: undefined };
  if (!isObject(value)) throw scimError('invalidValue', 'name: expected an object');
  const given = inLowerCase(value);
  return {
    ...draft,
    ...('givenname' in given ? { givenName: textOf(given['givenname'], 'name.givenName') } : {}),
    ...('familyname' in given ? { familyName: textOf(given['familyname'], 'name.familyName') } : {}),
  };
}

/** One address is kept: the primary one, or that of work. */
function setEmail(draft: UserDraft, change: Change): UserDraft {
  const { any, sub } = change.path;
  if (any?.some(({ attribute, value }) => isOther(attribute, value)) === true) return draft;
  if (sub !== undefined && sub !== 'value') return draft;
  if (change.op === 'remove') return { ...draft, email: undefined };
  const items = itemsOf(change.value, 'emails', MAX_VALUES);
  const chosen = items.find(({ primary }) => isTrue(primary)) ?? items.find(({ type }) => isWork(type)) ?? items[0];
  const address = textOf(chosen?.['value'], 'emails.value');
  if (address !== undefined && !email.safeParse(address).success) {
    throw scimError('invalidValue', 'emails.value: expected an e-mail address');
  }
  return { ...draft, email: address?.toLowerCase() };
}

const isTrue = (value: unknown): boolean => value === true || (typeof value === 'string' && /^true$/i.test(value));
const isWork = (value: unknown): boolean => typeof value === 'string' && /^work$/i.test(value);
const isOther = (attribute: string, value: unknown): boolean =>
  (attribute === 'type' && !isWork(value)) || (attribute === 'primary' && !isTrue(value));

/** Roles of the organisation: what is none of ours makes a member. */
function setRole(draft: UserDraft, change: Change): UserDraft {
  if (change.path.sub !== undefined && change.path.sub !== 'value') return draft;
  const items = change.op === 'remove' ? [] : itemsOf(change.value, 'roles', MAX_VALUES);
  const chosen = items.find(({ primary }) => isTrue(primary)) ?? items[0];
  const name = textOf(chosen?.['value'], 'roles.value')?.toLowerCase();
  return { ...draft, role: name === 'owner' || name === 'admin' ? name : 'member' };
}

/** Throws RestError for values that are none, and for paths that no user has. */
export function applyToUser(draft: UserDraft, changes: readonly Change[]): UserDraft {
  let current = draft;
  for (const change of changes) {
    const { name, isExtension } = change.path;
    const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
    if (setter !== undefined) current = setter(current, change);
    else if (change.isNamed && !isExtension && !UNUSED.has(name)) {
      throw scimError('invalidPath', `path: a User has no attribute ${name}`);
    }
  }
  return current;
}

/** Who signs in with an address needs no other one. */
export function emailOf({ email: address, userName }: UserDraft): string {
  const own = address ?? userName?.toLowerCase();
  if (own !== undefined && email.safeParse(own).success) return own;
  throw scimError('invalidValue', 'emails: a user has an e-mail address, there or as its userName');
}
