import { z } from 'zod';
import { flag } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { BOTH, called, ids, redact, secret, setting } from './fields.ts';

const guard = (what: string, name: string) => flag(`${name} looks for ${what}.`, false);

const threshold = (name: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .meta({ description: `${name} is the least score that the check fails for.` });

export const acuvityScan = defineCheckEntry({
  id: 'acuvity.scan',
  summary: 'Passes when none of the chosen guards of Acuvity hits; a language hits when the text is in it.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: {
    fields: [
      secret('apiKey', 'The application token, which names the address of the service.'),
      setting('baseUrl', 'The URL of the service; default: the one in the token.'),
    ],
  },
  parameters: z.strictObject({
    prompt_injection: guard('prompt injection', 'prompt_injection'),
    prompt_injection_threshold: threshold('prompt_injection_threshold'),
    toxic: guard('toxic language', 'toxic'),
    toxic_threshold: threshold('toxic_threshold'),
    jail_break: guard('jailbreaks', 'jail_break'),
    jail_break_threshold: threshold('jail_break_threshold'),
    malicious_url: guard('malicious URLs', 'malicious_url'),
    malicious_url_threshold: threshold('malicious_url_threshold'),
    biased: guard('bias', 'biased'),
    biased_threshold: threshold('biased_threshold'),
    harmful: guard('harmful content', 'harmful'),
    harmful_threshold: threshold('harmful_threshold'),
    language: guard('texts in the languages of language_values', 'language'),
    language_values: ids('language_values are the languages that the check fails for.').default([]),
    pii: guard('personal data', 'pii'),
    pii_redact: redact('the personal data found'),
    pii_categories: ids('pii_categories are the kinds of personal data; default: all.').default([]),
    secrets: guard('secrets', 'secrets'),
    secrets_redact: redact('the secrets found'),
    secrets_categories: ids('secrets_categories are the kinds of secrets; default: all.').default([]),
    ...called(),
  }),
});
