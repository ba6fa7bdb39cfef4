import { z } from 'zod';
import { createSuggestions } from '../lib/suggestions.ts';
import { dateTime, type Issue, int, pattern, type Rule, setList, text, withRules } from '../schema/index.ts';
import {
  defineKind,
  description,
  displayName,
  headersToMask,
  nameRef,
  RATE_UNITS,
  rateLimits,
  requestDefaults,
  secretKeyRef,
  statusOf,
  usageColumns,
  usageLimits,
  usageStatus,
} from './parts/index.ts';
import { API_KEY_TYPES, type ApiKeyType, scopeProblem } from './scopes.ts';

const MINUTES_PER_DAY = 1440;
const SHORTEST_MONTH_DAYS = 28;

interface Rotation {
  readonly period?: 'weekly' | 'monthly' | undefined;
  readonly periodDays?: number | undefined;
  readonly nextRotationAt?: string | undefined;
  readonly transitionMinutes: number;
}

const ROTATION_RULES: readonly Rule<Rotation>[] = [
  {
    cel: '!has(self.period) || !has(self.periodDays)',
    message: 'period and periodDays exclude each other',
    at: 'periodDays',
    reason: 'FieldValueForbidden',
    holds: ({ period, periodDays }) => period === undefined || periodDays === undefined,
    valid: [{ period: 'weekly' }, { periodDays: 30 }],
    invalid: [{ period: 'weekly', periodDays: 30 }],
  },
  {
    cel: 'has(self.period) || has(self.periodDays) || has(self.nextRotationAt)',
    message: 'rotation needs period, periodDays or nextRotationAt',
    reason: 'FieldValueRequired',
    holds: (rotation) => [rotation.period, rotation.periodDays, rotation.nextRotationAt].some((at) => at !== undefined),
    valid: [{ nextRotationAt: '2027-01-01T00:00:00Z' }],
    invalid: [{ transitionMinutes: 60 }],
  },
  {
    cel: "self.transitionMinutes < 1440 * (has(self.periodDays) ? self.periodDays : !has(self.period) ? 366 : self.period == 'weekly' ? 7 : 28)",
    message: 'the transition must be shorter than the rotation period',
    at: 'transitionMinutes',
    holds: (rotation) => rotation.transitionMinutes < MINUTES_PER_DAY * periodDaysOf(rotation),
    valid: [{ periodDays: 2, transitionMinutes: 1440 }],
    invalid: [
      { periodDays: 1, transitionMinutes: 1440 },
      { period: 'weekly', transitionMinutes: 10_080 },
      { period: 'monthly', transitionMinutes: 40_320 },
    ],
  },
];

function periodDaysOf({ period, periodDays }: Rotation): number {
  if (periodDays !== undefined) return periodDays;
  if (period === undefined) return 366;
  return period === 'weekly' ? 7 : SHORTEST_MONTH_DAYS;
}

const rotation = withRules(
  z
    .strictObject({
      period: z
        .enum(['weekly', 'monthly'])
        .meta({ description: 'period rotates on Mondays or on the 1st of the month, at 00:00 UTC.' })
        .optional(),
      periodDays: int('periodDays is the number of days between rotations, at 00:00 UTC.', 1, 365).optional(),
      nextRotationAt: dateTime('nextRotationAt is the first or only rotation, at 00:00 UTC of that day.').optional(),
      transitionMinutes: int(
        'transitionMinutes is how long the previous secret stays valid, in minutes.',
        30,
        525_600,
      ).default(30),
    })
    .meta({ description: 'rotation replaces the secret regularly; only for keys that the operator generated.' }),
  ROTATION_RULES,
);

const fields = z
  .strictObject({
    type: z.enum(API_KEY_TYPES).meta({
      description: 'type is the owner of the key: the organisation, a program of a workspace, or a person in it.',
      immutable: 'type cannot change; make another ApiKey',
    }),
    displayName: displayName.optional(),
    description: description.optional(),
    user: text('user is the person who owns the key; it is recorded as _user in the metadata of requests.', 255)
      .meta({ immutable: 'user cannot change; make another ApiKey' })
      .optional(),
    sha256: pattern(/^[0-9a-f]{64}$/, '64 hex digits in lower case', 64)
      .meta({
        description:
          'sha256 is the SHA-256 of the key, in lower-case hex; the key itself is not stored. Of several ApiKeys with the same key, one that has the key itself, generated or by secretRef, takes precedence over one with its hash; then the oldest does.',
      })
      .optional(),
    secretRef: secretKeyRef('secretRef names the Secret entry with the key.').optional(),
    previousKey: z
      .strictObject({
        sha256: pattern(/^[0-9a-f]{64}$/, '64 hex digits in lower case', 64).meta({
          description: 'sha256 is the SHA-256 of the previous key, in lower-case hex.',
        }),
        expiresAt: dateTime('expiresAt is when the previous key stops working.'),
      })
      .meta({
        description:
          'previousKey is the key before the one of sha256, which goes on working for a while; it never takes the place of the key of another ApiKey.',
      })
      .optional(),
    scopes: setList(
      pattern(/^[a-z_]+[.:][a-z]+$/, 'a scope like completions.write', 64),
      'scopes are what the key may do, as resource.action or resource:action.',
      200,
    ).min(1),
    defaults: requestDefaults.optional(),
    rateLimits: rateLimits(RATE_UNITS).optional(),
    usageLimits: usageLimits().optional(),
    expiresAt: dateTime('expiresAt is when the key stops working; absent: never.').optional(),
    headersToMask: headersToMask(
      'headersToMask are header names, in lower case, whose values are masked in logs for requests with the key, beside those of its Workspace and the Organisation.',
    ).optional(),
    alertEmails: setList(
      pattern(/^[^@\s]+@[^@\s]+$/, 'an e-mail address', 254),
      'alertEmails get notices about budget and rotation.',
      32,
    ).optional(),
    rotation: rotation.optional(),
  })
  .meta({ description: 'spec is the desired state of the API key.' });

const SERVICE = { type: 'workspace-service', scopes: ['completions.write'] };
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const SECRET_REF = { name: 'app-key', key: 'key' };
const PREVIOUS_KEY = {
  sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  expiresAt: '2027-01-01T00:00:00Z',
};

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: '!has(self.sha256) || !has(self.secretRef)',
    message: 'sha256 and secretRef exclude each other; with neither, the operator generates a key',
    at: 'secretRef',
    reason: 'FieldValueForbidden',
    holds: ({ sha256, secretRef }) => sha256 === undefined || secretRef === undefined,
    valid: [SERVICE, { ...SERVICE, sha256: SHA256 }, { ...SERVICE, secretRef: SECRET_REF }],
    invalid: [{ ...SERVICE, sha256: SHA256, secretRef: SECRET_REF }],
  },
  {
    cel: '!has(self.previousKey) || has(self.sha256)',
    message: 'previousKey needs sha256; the operator keeps the previous key of one that it generated',
    at: 'previousKey',
    reason: 'FieldValueForbidden',
    holds: ({ previousKey, sha256 }) => previousKey === undefined || sha256 !== undefined,
    valid: [{ ...SERVICE, sha256: SHA256, previousKey: PREVIOUS_KEY }],
    invalid: [
      { ...SERVICE, previousKey: PREVIOUS_KEY },
      { ...SERVICE, secretRef: SECRET_REF, previousKey: PREVIOUS_KEY },
    ],
  },
  {
    cel: '!has(self.previousKey) || !has(self.sha256) || self.previousKey.sha256 != self.sha256',
    message: 'the previous key must be another one than that of sha256',
    at: 'previousKey.sha256',
    holds: ({ previousKey, sha256 }) => previousKey === undefined || previousKey.sha256 !== sha256,
    valid: [{ ...SERVICE, sha256: SHA256, previousKey: PREVIOUS_KEY }],
    invalid: [{ ...SERVICE, sha256: SHA256, previousKey: { ...PREVIOUS_KEY, sha256: SHA256 } }],
  },
  {
    cel: "(self.type == 'workspace-user') == has(self.user)",
    message: 'user is needed for keys of type workspace-user, and only for them',
    at: 'user',
    holds: ({ type, user }) => (type === 'workspace-user') === (user !== undefined),
    valid: [{ ...SERVICE, type: 'workspace-user', user: 'ada' }],
    invalid: [
      { ...SERVICE, type: 'workspace-user' },
      { ...SERVICE, user: 'ada' },
    ],
  },
  {
    cel: '!has(self.rotation) || (!has(self.sha256) && !has(self.secretRef))',
    message: 'only a key that the operator generated can be rotated',
    at: 'rotation',
    reason: 'FieldValueForbidden',
    holds: ({ rotation: wanted, sha256, secretRef }) =>
      wanted === undefined || (sha256 === undefined && secretRef === undefined),
    valid: [{ ...SERVICE, rotation: { period: 'weekly' } }],
    invalid: [{ ...SERVICE, sha256: SHA256, rotation: { period: 'weekly' } }],
  },
];

function scopeIssues(type: ApiKeyType, scopes: readonly string[]): Issue[] {
  const suggest = createSuggestions();
  return scopes.flatMap((scope, i) => {
    const message = scopeProblem(scope, type, suggest);
    return message === undefined ? [] : [{ code: 'invalid', path: ['spec', 'scopes', i], message }];
  });
}

export const apiKey = defineKind({
  kind: 'ApiKey',
  plural: 'apikeys',
  shortNames: ['gwkey'],
  summary: 'A key of the gateway: who may call it, with which scopes, defaults and limits.',
  spec: withRules(fields, RULES),
  status: statusOf({
    ...usageStatus,
    secretRef: nameRef('secretRef names the Secret with the key that the operator generated.').optional(),
    maskedKey: text('maskedKey is the key with all but its ends hidden.', 64).optional(),
  }),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
    ...usageColumns,
  ],
  check: ({ spec }) => scopeIssues(spec.type, spec.scopes),
});
