/** Parameters of the checks that recognise things by themselves, without a service: docs/behaviour/guardrails-local.md. */
import { z } from 'zod';
import { atomicList, flag, int } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';

/** What `default.pii` recognises. */
export const PII_CATEGORIES = [
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'CREDIT_CARD',
  'IBAN',
  'SSN',
  'NATIONAL_ID',
  'IP_ADDRESS',
  'SECRET',
] as const;
export type PiiCategory = (typeof PII_CATEGORIES)[number];

/** Countries (ISO 3166-1) whose ids and national phone formats `default.pii` knows. */
export const PII_COUNTRIES = [
  ...['AR', 'AT', 'AU', 'BE', 'BG', 'BR', 'CA', 'CH', 'CL', 'CN', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB'],
  ...['GR', 'HK', 'HR', 'IE', 'IL', 'IN', 'IT', 'JP', 'KR', 'LT', 'MX', 'NL', 'NO', 'PL', 'PT', 'RO', 'RU', 'SE'],
  ...['SG', 'SK', 'TH', 'TR', 'TW', 'US', 'ZA'],
] as const;
export type PiiCountry = (typeof PII_COUNTRIES)[number];

const MAX_ALLOWED = 256;
const MAX_ALLOWED_VALUE = 256;

export const pii = defineCheckEntry({
  id: 'default.pii',
  summary:
    'Looks for personal data and secrets in the gateway itself. Fails when a category is found, or replaces what is found and passes.',
  phases: ['input', 'output'],
  transforms: true,
  parameters: z
    .strictObject({
      categories: atomicList(
        z.enum(PII_CATEGORIES),
        'categories are looked for; all when absent.',
        PII_CATEGORIES.length,
      )
        .min(1)
        .default([...PII_CATEGORIES]),
      countries: atomicList(
        z.enum(PII_COUNTRIES),
        'countries are those whose national ids and national phone formats are looked for; all when absent. International phone numbers are always recognised.',
        PII_COUNTRIES.length,
      )
        .min(1)
        .default([...PII_COUNTRIES]),
      allow: atomicList(
        z.string().min(1).max(MAX_ALLOWED_VALUE),
        'allow lists values that are left alone, in any case: whole values, or @domain for all email addresses of a domain.',
        MAX_ALLOWED,
      ).default([]),
      redact: flag(
        'redact replaces what is found with placeholders such as [EMAIL_ADDRESS_1]; the check passes.',
        false,
      ),
      restore: flag(
        'restore puts the values back where the answer has their placeholders; on input, with redact.',
        false,
      ),
      not: flag('not turns the verdict: the check passes only when a category is found.', false),
    })
    .refine(({ redact, restore }) => redact || !restore, {
      error: 'restore needs redact: true: without it there are no placeholders',
      path: ['restore'],
    }),
});

/** What `default.promptInjection` looks for. */
export const INJECTION_SIGNALS = ['override', 'extraction', 'persona', 'delimiter', 'hidden', 'encoded'] as const;
export type InjectionSignal = (typeof INJECTION_SIGNALS)[number];

const DEFAULT_THRESHOLD = 50;

export const promptInjection = defineCheckEntry({
  id: 'default.promptInjection',
  summary:
    'Adds up scores of signs that a text wants to be taken for instructions, and fails at a threshold. A heuristic.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    threshold: int('threshold is the score at which the check fails.', 1, 100).default(DEFAULT_THRESHOLD),
    signals: atomicList(z.enum(INJECTION_SIGNALS), 'signals count; all when absent.', INJECTION_SIGNALS.length)
      .min(1)
      .default([...INJECTION_SIGNALS]),
    not: flag('not turns the verdict: the check passes only at the threshold or above.', false),
  }),
});

export const LOCAL_CHECKS = [pii, promptInjection] as const;
