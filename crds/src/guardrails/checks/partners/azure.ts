import { z } from 'zod';
import { int } from '../../../schema/index.ts';
import { type CredentialField, defineCheckEntry } from '../../check.ts';
import { BOTH, called, INPUT, id, ids, OUTPUT, oneOf, optionalSecret, redact, setting } from './fields.ts';

const FIELDS: readonly CredentialField[] = [
  setting('resourceName', 'The name of the Azure resource.'),
  setting('azureAuthMode', 'apiKey (default) or entra.'),
  optionalSecret('apiKey', 'The API key; with entra a token.'),
  setting('clientId', 'The application for entra.'),
  optionalSecret('clientSecret', 'The secret of the application for entra.'),
  setting('tenantId', 'The tenant for entra.'),
  setting('customHost', 'The URL of the service; default https://RESOURCE.cognitiveservices.azure.com.'),
  setting('baseUrl', 'Another name of customHost.'),
];

const MODE = 'azureAuthMode';

/** Where there is a key it is the token. */
function withIdentity(field: CredentialField): CredentialField {
  if (!field.name.endsWith(MODE)) return field;
  const own = `${field.name.slice(0, -MODE.length)}apiKey`;
  const hasKey = (fields: Readonly<Record<string, string>>): boolean => (fields[own] ?? fields['apiKey']) !== undefined;
  return { ...field, podIdentity: (fields) => fields[field.name] === 'managed' && !hasKey(fields) };
}

/** The fields of one service of Azure may stand below its name, so that one credential serves all checks. */
const credentialOf = (service: 'pii' | 'contentSafety') => ({
  fields: [...FIELDS, ...FIELDS.map((field) => ({ ...field, name: `${service}.${field.name}` }))].map(withIdentity),
});

const apiVersion = (fallback: string) => id('apiVersion is the version of the API.').default(fallback);

export const azurePii = defineCheckEntry({
  id: 'azure.pii',
  summary:
    'Passes when Azure AI Language finds no personal data. With redact the text is replaced and the check fails.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: credentialOf('pii'),
  parameters: z.strictObject({
    domain: z.enum(['none', 'phi']).default('none').meta({ description: 'domain phi limits findings to health data.' }),
    apiVersion: apiVersion('2024-11-01'),
    modelVersion: id('modelVersion is the version of the model.').default('latest'),
    piiCategories: ids('piiCategories are the categories that are looked for; default: all.').optional(),
    language: id('language is the language of the texts.').default('en'),
    redact: redact('the personal data found').meta({
      description: 'redact replaces the personal data found in the text; the check fails all the same.',
    }),
    ...called(),
  }),
});

export const azureContentSafety = defineCheckEntry({
  id: 'azure.contentSafety',
  summary: 'Passes when Azure AI Content Safety finds no category of that severity and no term of a blocklist.',
  phases: BOTH,
  callsOut: true,
  credential: credentialOf('contentSafety'),
  parameters: z.strictObject({
    categories: oneOf(['Hate', 'SelfHarm', 'Sexual', 'Violence'], 'categories are those that are looked for.').default([
      'Hate',
      'SelfHarm',
      'Sexual',
      'Violence',
    ]),
    severity: int('severity is the least severity that the check fails for.', 0, 7).default(2),
    blocklistNames: ids('blocklistNames are the blocklists of the resource that apply.').default([]),
    apiVersion: apiVersion('2024-11-01'),
    ...called(),
  }),
});

export const azureShieldPrompt = defineCheckEntry({
  id: 'azure.shieldPrompt',
  summary: 'Passes when Azure AI Content Safety detects no attack in prompt and documents.',
  phases: INPUT,
  callsOut: true,
  credential: credentialOf('contentSafety'),
  parameters: z.strictObject({ apiVersion: apiVersion('2024-09-01'), ...called() }),
});

export const azureProtectedMaterial = defineCheckEntry({
  id: 'azure.protectedMaterial',
  summary: 'Passes when Azure AI Content Safety detects no protected material in the answer.',
  phases: OUTPUT,
  callsOut: true,
  credential: credentialOf('contentSafety'),
  parameters: z.strictObject({ apiVersion: apiVersion('2024-09-01'), ...called() }),
});
