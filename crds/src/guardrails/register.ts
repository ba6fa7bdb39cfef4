/** All checks of the contract; each family of checks is one list. */
import type { CheckEntry } from './check.ts';
import { HOSTED_CHECKS } from './checks/hosted.ts';
import { JWT_CHECKS } from './checks/jwt.ts';
import { LOCAL_CHECKS } from './checks/local.ts';
import { OUTBOUND_CHECKS } from './checks/outbound.ts';
import * as partners from './checks/partners/index.ts';
import { TEXT_CHECKS } from './checks/text.ts';

/** By id: the order of the names of a module is not the same everywhere. */
const PARTNER_CHECKS: readonly CheckEntry[] = Object.values(partners).toSorted((a, b) => (a.id < b.id ? -1 : 1));

export const CHECK_ENTRIES: readonly CheckEntry[] = [
  ...LOCAL_CHECKS,
  ...TEXT_CHECKS,
  ...JWT_CHECKS,
  ...OUTBOUND_CHECKS,
  ...HOSTED_CHECKS,
  ...PARTNER_CHECKS,
];

const BY_ID: ReadonlyMap<string, CheckEntry> = new Map(
  CHECK_ENTRIES.flatMap((entry) => [entry.id, ...(entry.aliases ?? [])].map((id) => [id, entry] as const)),
);

/** The check of an id or of another spelling of it; an id without a dot is one of `default`. */
export const checkEntryOf = (id: string): CheckEntry | undefined => BY_ID.get(id.includes('.') ? id : `default.${id}`);
