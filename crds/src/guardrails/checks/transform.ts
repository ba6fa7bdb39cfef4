/** Parameters of the checks that change texts by rules: docs/behaviour/guardrails.md#checks-that-change-texts. */
import { z } from 'zod';
import { flag, text } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { re2Pattern } from './fields.ts';

const MAX_REPLACEMENT = 1_024;
const MAX_PREFIX = 65_536;
export const DEFAULT_REDACTION = '[REDACTED]';

const SLASHED = /^\/(.+)\/([gimsuyd]*)$/s;

/** A pattern as RE2 takes it, and how far it is looked for. */
export interface ReplaceRule {
  readonly pattern: string;
  /** All matches, not only the first one. */
  readonly isGlobal: boolean;
  /** Only where the text begins, and where the match before it ended. */
  readonly isSticky: boolean;
}

/** A pattern between slashes with the flags of JavaScript behind it, or a bare one. */
export function parseReplaceRule(rule: string): ReplaceRule {
  const [, pattern, flags = ''] = SLASHED.exec(rule) ?? [];
  if (pattern === undefined) return { pattern: rule, isGlobal: false, isSticky: false };
  const inline = ['i', 'm', 's'].filter((flag) => flags.includes(flag)).join('');
  return {
    pattern: inline === '' ? pattern : `(?${inline})${pattern}`,
    isGlobal: flags.includes('g'),
    isSticky: flags.includes('y'),
  };
}

export const regexReplace = defineCheckEntry({
  id: 'default.regexReplace',
  summary: 'Replaces what a pattern matches, in each text by itself; passes, unless it should fail on a match.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    rule: re2Pattern(
      'rule is a pattern in the syntax of RE2, bare or as /pattern/flags with the flags g, i, m, s, u, y and d of JavaScript. ' +
        'Without g only the first match of each text is replaced.',
      (written) => parseReplaceRule(written).pattern,
    ),
    redactText: z
      .string()
      .max(MAX_REPLACEMENT)
      .default(DEFAULT_REDACTION)
      .meta({
        description: `redactText stands in place of a match; references to groups in it, such as $1, as in JavaScript. Empty: ${DEFAULT_REDACTION}.`,
      }),
    failOnDetection: flag(
      'failOnDetection fails the check when the pattern matches; the text is replaced all the same.',
      false,
    ),
  }),
  patterns: ({ rule }) => [parseReplaceRule(rule).pattern],
  transforms: true,
});

export const addPrefix = defineCheckEntry({
  id: 'default.addPrefix',
  summary: 'Puts a text in front of the prompt, or of the first message of a role. Always passes.',
  phases: ['input'],
  parameters: z.strictObject({
    prefix: text('prefix is the text that is put in front.', MAX_PREFIX),
    applyToRole: z.enum(['user', 'system', 'assistant']).default('user').meta({
      description: 'applyToRole is the role whose first message is changed; one is added where there is none.',
    }),
    addToExisting: flag('addToExisting changes the message; otherwise a message is added before it.', true),
    onlyIfEmpty: flag('onlyIfEmpty leaves a message alone that has a text.', false),
  }),
  transforms: true,
  adds: true,
});

export const TRANSFORM_CHECKS = [regexReplace, addPrefix] as const;
