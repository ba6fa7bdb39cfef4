/** Sums of the request log: docs/behaviour/request-logs.md#analytics */
import type { BoundOperation } from '../family.ts';
import { CACHE_GRAPHS } from './cache.ts';
import { ERROR_GRAPHS } from './errors.ts';
import { FEEDBACK_GRAPHS } from './feedback.ts';
import { GROUPS } from './groups.ts';
import { REQUEST_GRAPHS } from './requests.ts';

export const ANALYTICS: readonly BoundOperation[] = [
  ...REQUEST_GRAPHS,
  ...ERROR_GRAPHS,
  ...CACHE_GRAPHS,
  ...FEEDBACK_GRAPHS,
  ...GROUPS,
];
