/** The check that asks a model. */
import type { CheckDefinition } from '../../contract.ts';
import { judge } from './judge.ts';

export const JUDGE_CHECKS: readonly CheckDefinition[] = [judge];
