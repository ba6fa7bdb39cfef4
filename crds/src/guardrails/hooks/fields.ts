/** The members of a hook beside its checks, in the spellings that clients use. */
import { z } from 'zod';
import { isObject } from '../../lib/result.ts';
import type { FeedbackSpec } from './hook-spec.ts';

/** Longest id, slug and version, and longest text of a denial. */
const MAX_ID = 253;
const MAX_MESSAGE = 1_024;
/** Bounds of a window in characters. */
const MIN_WINDOW = 16;
const MAX_WINDOW = 1_000_000;
const MAX_METADATA = 64;

const feedback = z.object({
  value: z.number().min(-10).max(10).default(0),
  weight: z.number().min(0).max(1).default(1),
  metadata: z.unknown().optional(),
});

/** `block` and `deny` are short for `deny: true`; the other words change nothing. */
const WORDS = { block: true, deny: true, log: false, warn: false, continue: false } as const;

const outcome = z.union(
  [
    z.enum(['block', 'deny', 'log', 'warn', 'continue']),
    z.object({ feedback: feedback.nullish(), deny: z.boolean().nullish() }),
  ],
  { error: 'expected block, log, or feedback with a value from -10 to 10 and a weight from 0 to 1' },
);
type Outcome = z.output<typeof outcome> | null | undefined;

const flag = z.boolean().nullish();

const members = {
  deny: flag,
  async: flag,
  sequential: flag,
  softDeny200: flag,
  mode: z.enum(['enforce', 'monitor']).nullish(),
  message: z.string().max(MAX_MESSAGE).nullish(),
  buffer: flag,
  window: z.int().min(MIN_WINDOW).max(MAX_WINDOW).nullish(),
  onSuccess: outcome.nullish(),
  onFail: outcome.nullish(),
};

/** What may stand under `actions`. */
export const actionFields = z.strictObject(members);

export const hookFields = z.strictObject({
  ...members,
  id: z.string().min(1).max(MAX_ID).nullish(),
  type: z.enum(['guardrail', 'mutator']).nullish(),
  guardrailVersionId: z.string().max(MAX_ID).nullish(),
});

/** Spellings by the member that they mean; others are written as the member. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['soft_deny_200', 'softDeny200'],
  ['soft_deny200', 'softDeny200'],
  ['on_success', 'onSuccess'],
  ['on_fail', 'onFail'],
  ['guardrail_version_id', 'guardrailVersionId'],
  ['version_id', 'guardrailVersionId'],
  ['versionId', 'guardrailVersionId'],
]);

/** The member that a key means; undefined: none. */
export function memberOf(key: string): string | undefined {
  const member = SPELLINGS.get(key) ?? key;
  return Object.hasOwn(hookFields.shape, member) ? member : undefined;
}

export const MEMBER_NAMES: readonly string[] = [...Object.keys(hookFields.shape), 'checks', 'actions', 'credentials'];

type Actions = z.output<typeof actionFields>;

/** Without members that are absent. */
export function actionsOf({ onSuccess, onFail, ...flags }: Actions): Record<string, unknown> {
  const deny = flags.deny ?? (typeof onFail === 'string' ? WORDS[onFail] : onFail?.deny);
  const all = { ...flags, deny, onSuccess: feedbackOf(onSuccess), onFail: feedbackOf(onFail) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

function feedbackOf(given: Outcome): FeedbackSpec | undefined {
  if (!isObject(given) || !isObject(given.feedback)) return undefined;
  const { value, weight, metadata } = given.feedback;
  if (!isObject(metadata)) return { value, weight }; // the names of checks are merged with members, not with a text
  return { value, weight, metadata: Object.fromEntries(Object.entries(metadata).slice(0, MAX_METADATA)) };
}
