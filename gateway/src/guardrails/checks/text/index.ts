/** Checks that look at a text. */
import type { CheckDefinition } from '../../contract.ts';
import { contains } from './contains.ts';

export const TEXT_CHECKS: readonly CheckDefinition[] = [contains];
