/** All checks of the contract; each family of checks is one list. */
import type { CheckEntry } from './check.ts';
import { HOSTED_CHECKS } from './checks/hosted.ts';
import { JSON_CHECKS } from './checks/json.ts';
import { JUDGE_CHECKS } from './checks/judge.ts';
import { JWT_CHECKS } from './checks/jwt.ts';
import { LOCAL_CHECKS } from './checks/local.ts';
import { OUTBOUND_CHECKS } from './checks/outbound.ts';
import * as partners from './checks/partners/index.ts';
import { REQUEST_CHECKS } from './checks/request.ts';
import { TEXT_CHECKS } from './checks/text.ts';
import { TRANSFORM_CHECKS } from './checks/transform.ts';

/** By id: the order of the names of a module is not the same everywhere. */
const PARTNER_CHECKS: readonly CheckEntry[] = Object.values(partners).toSorted((a, b) => (a.id < b.id ? -1 : 1));

export const CHECK_ENTRIES: readonly CheckEntry[] = [
  ...LOCAL_CHECKS,
  ...TEXT_CHECKS,
  ...REQUEST_CHECKS,
  ...TRANSFORM_CHECKS,
  ...JSON_CHECKS,
  ...JWT_CHECKS,
  ...OUTBOUND_CHECKS,
  ...HOSTED_CHECKS,
  ...JUDGE_CHECKS,
  ...PARTNER_CHECKS,
];

const BY_ID: ReadonlyMap<string, CheckEntry> = new Map(
  CHECK_ENTRIES.flatMap((entry) => [entry.id, ...(entry.aliases ?? [])].map((id) => [id, entry] as const)),
);

/** An id without a dot is one of `default`. */
export const withPlugin = (id: string): string => (id.includes('.') ? id : `default.${id}`);

/** Every spelling of every id. */
export const CHECK_NAMES: readonly string[] = [...BY_ID.keys()];

/** The check of an id or of another spelling of it. */
export const checkEntryOf = (id: string): CheckEntry | undefined => BY_ID.get(withPlugin(id));
