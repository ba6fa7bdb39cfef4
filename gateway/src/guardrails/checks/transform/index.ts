/** Checks that change texts by rules. */
import type { CheckDefinition } from '../../contract.ts';
import { addPrefix } from './add-prefix.ts';
import { regexReplace } from './regex-replace.ts';

export const TRANSFORM_CHECKS: readonly CheckDefinition[] = [regexReplace, addPrefix];
