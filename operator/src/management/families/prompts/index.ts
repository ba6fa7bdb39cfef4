import type { BoundOperation } from '../family.ts';
import { COLLECTIONS } from './collections.ts';
import { LABELS } from './labels.ts';
import { PARTIALS } from './partials.ts';
import { PROMPT_OPERATIONS } from './prompts.ts';

/** The library of prompts. */
export const PROMPTS: readonly BoundOperation[] = [...COLLECTIONS, ...LABELS, ...PARTIALS, ...PROMPT_OPERATIONS];
