/** Checks that look at a text. */
import type { CheckDefinition } from '../../contract.ts';
import { alllowercase, alluppercase } from './cases.ts';
import { contains } from './contains.ts';
import { containsCode } from './contains-code.ts';
import { characterCount, sentenceCount, wordCount } from './counts.ts';
import { endsWith } from './ends-with.ts';
import { notNull } from './not-null.ts';
import { regexMatch } from './regex-match.ts';

export const TEXT_CHECKS: readonly CheckDefinition[] = [
  regexMatch,
  sentenceCount,
  wordCount,
  characterCount,
  contains,
  alluppercase,
  alllowercase,
  endsWith,
  notNull,
  containsCode,
];
