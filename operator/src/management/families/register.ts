/** All operations that are served, by family. */
import type { BoundOperation } from './family.ts';
import { RATE_LIMIT_POLICIES } from './rate-limit-policies.ts';

export const OPERATIONS: readonly BoundOperation[] = [...RATE_LIMIT_POLICIES];
