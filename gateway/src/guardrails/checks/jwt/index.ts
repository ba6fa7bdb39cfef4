/** The check of tokens. */
import type { CheckDefinition } from '../../contract.ts';
import { jwt } from './jwt.ts';

export const JWT_CHECKS: readonly CheckDefinition[] = [jwt];
