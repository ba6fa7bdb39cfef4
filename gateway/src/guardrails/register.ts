/** All checks that this gateway runs; each family is one list. */

import { HOSTED_CHECKS } from './checks/hosted/index.ts';
import { JSON_CHECKS } from './checks/json/index.ts';
import { JUDGE_CHECKS } from './checks/judge/index.ts';
import { JWT_CHECKS } from './checks/jwt/index.ts';
import { LOCAL_CHECKS } from './checks/local/index.ts';
import { OUTBOUND_CHECKS } from './checks/outbound/index.ts';
import { PARTNER_CHECKS } from './checks/partners/index.ts';
import { REQUEST_CHECKS } from './checks/request/index.ts';
import { TEXT_CHECKS } from './checks/text/index.ts';
import { TRANSFORM_CHECKS } from './checks/transform/index.ts';
import type { CheckDefinition } from './contract.ts';

/** By id. */
export const CHECKS: ReadonlyMap<string, CheckDefinition> = new Map(
  [
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
  ].map((check) => [check.entry.id, check]),
);
