/** Parameters of the checks that look at a text: docs/behaviour/guardrails.md#checks-of-texts. */
import { z } from 'zod';
import { atomicList } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { bound, inOrder, not, re2Pattern } from './fields.ts';

/** Bounds of the lists and texts in parameters. A longer word would cost more than one look at each character. */
const MAX_WORDS = 1_024;
const MAX_WORD = 250;
const MAX_SUFFIX = 1_024;

/** Languages of code blocks, as they are written in parameters. */
const CODE_FORMATS = [
  ...['SQL', 'Python', 'TypeScript', 'JavaScript', 'Java', 'C#', 'C++', 'C', 'Ruby', 'PHP', 'Swift', 'Kotlin', 'Go'],
  ...['Rust', 'Scala', 'R', 'Perl', 'Shell', 'HTML', 'CSS', 'XML', 'JSON', 'YAML', 'Markdown', 'Dockerfile'],
] as const;

export const regexMatch = defineCheckEntry({
  id: 'default.regexMatch',
  summary: 'Passes when the pattern occurs anywhere in the text.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    rule: re2Pattern('rule is a pattern in the syntax of RE2, without slashes and flags.'),
    not,
  }),
  patterns: ({ rule }) => [rule],
  quotes: ['matchDetails', 'textExcerpt'],
});

export const sentenceCount = defineCheckEntry({
  id: 'default.sentenceCount',
  summary: 'Passes when the number of full stops, exclamation marks and question marks is in the range.',
  phases: ['input', 'output'],
  parameters: z
    .strictObject({
      minSentences: z.number().min(0).default(0).meta({ description: 'minSentences is the least number.' }),
      maxSentences: z.number().min(0).default(99_999).meta({ description: 'maxSentences is the greatest number.' }),
      not,
    })
    .superRefine(inOrder('minSentences', 'maxSentences')),
  quotes: ['textExcerpt'],
});

export const wordCount = defineCheckEntry({
  id: 'default.wordCount',
  summary: 'Passes when the number of words, which white space separates, is in the range.',
  phases: ['input', 'output'],
  parameters: z
    .strictObject({
      minWords: bound('minWords is the least number.', 0),
      maxWords: bound('maxWords is the greatest number.', 99_999),
      not,
    })
    .superRefine(inOrder('minWords', 'maxWords')),
  quotes: ['textExcerpt'],
});

export const characterCount = defineCheckEntry({
  id: 'default.characterCount',
  summary: 'Passes when the length of the text in UTF-16 code units, as JavaScript counts, is in the range.',
  phases: ['input', 'output'],
  parameters: z
    .strictObject({
      minCharacters: bound('minCharacters is the least length.', 0),
      maxCharacters: bound('maxCharacters is the greatest length.', 9_999_999),
      not,
    })
    .superRefine(inOrder('minCharacters', 'maxCharacters')),
  quotes: ['textExcerpt'],
});

export const contains = defineCheckEntry({
  id: 'default.contains',
  summary: 'Passes when any, all or none of the words occur in the text, as they are written.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    words: atomicList(z.string().min(1).max(MAX_WORD), 'words are looked for as parts of the text.', MAX_WORDS),
    operator: z
      .enum(['any', 'all', 'none'])
      .default('any')
      .meta({ description: 'operator says how many of the words must occur.' }),
  }),
  quotes: ['foundWords', 'missingWords'],
});

export const alluppercase = defineCheckEntry({
  id: 'default.alluppercase',
  summary: 'Passes when the text has no lower-case letter from a to z.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ not }),
  quotes: ['textExcerpt'],
});

export const alllowercase = defineCheckEntry({
  id: 'default.alllowercase',
  aliases: ['default.isAllLowerCase'],
  summary: 'Passes when the text has no upper-case letter from A to Z.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ not }),
  quotes: ['textExcerpt'],
});

export const endsWith = defineCheckEntry({
  id: 'default.endsWith',
  summary: 'Passes when the text ends with the suffix, or with the suffix and a full stop.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    suffix: z.string().min(1).max(MAX_SUFFIX).meta({ description: 'suffix is compared as it is written.' }),
    not,
  }),
  quotes: ['textExcerpt'],
});

export const notNull = defineCheckEntry({
  id: 'default.notNull',
  summary: 'Passes when there is a text that is not blank, or an answer that calls tools.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ not }),
});

export const containsCode = defineCheckEntry({
  id: 'default.containsCode',
  summary: 'Passes when a code block between lines of three backticks is tagged as the language.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    format: z.enum(CODE_FORMATS).meta({ description: 'format is the language.' }),
    not,
  }),
  quotes: ['foundFormats', 'textExcerpt'],
});

export const TEXT_CHECKS = [
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
] as const;
