/** Parameters of the checks of the guardrail service, and of moderation by any endpoint in OpenAI's format. */
import { z } from 'zod';
import { atomicList, flag, httpUrl } from '../../schema/index.ts';
import { forwardHeaders, timeout } from '../calls.ts';
import { type CredentialField, defineCheckEntry } from '../check.ts';
import { not } from './fields.ts';

const MAX_NAMES = 64;
const names = (description: string) => atomicList(z.string().min(1).max(128), description, MAX_NAMES);

const apiKey = (required: boolean): CredentialField => ({
  name: 'apiKey',
  description: 'apiKey authenticates the calls.',
  secret: true,
  required,
});
const credential = {
  fields: [
    apiKey(true),
    {
      name: 'baseURL',
      description: 'baseURL is the address of the guardrail service; /v1/execute-guardrails is added.',
      secret: false,
      required: true,
    },
  ],
} as const;
const call = { timeout: timeout(5_000), forwardHeaders };

export const gwModerateContent = defineCheckEntry({
  id: 'gw.moderateContent',
  summary: 'Fails when the guardrail service finds one of the categories in the text.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    categories: names('categories fail the check, such as hate or violence.').min(1),
    not,
    ...call,
  }),
  credential,
  callsOut: true,
});

export const gwLanguage = defineCheckEntry({
  id: 'gw.language',
  summary: 'Passes when the text is in one of the languages.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    language: z
      .union([z.string().min(1).max(16), z.array(z.string().min(1).max(16)).min(1).max(MAX_NAMES)])
      .meta({ description: 'language is one code or several, such as eng_Latn.' }),
    not,
    ...call,
  }),
  credential,
  callsOut: true,
});

export const gwPii = defineCheckEntry({
  id: 'gw.pii',
  summary: 'Fails when the guardrail service finds personal data in the texts, or replaces it.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    categories: names('categories fail the check, such as EMAIL_ADDRESS or CREDIT_CARD.').min(1),
    redact: flag('redact replaces what is found, and passes.', false),
    not,
    ...call,
  }),
  credential,
  callsOut: true,
  transforms: true,
});

export const gwGibberish = defineCheckEntry({
  id: 'gw.gibberish',
  summary: 'Passes when the text makes sense.',
  phases: ['input', 'output'],
  parameters: z.strictObject({ not, ...call }),
  credential,
  callsOut: true,
});

export const gwDataservice = defineCheckEntry({
  id: 'gw.dataservice',
  summary: 'Always passes: kept for configs that name it.',
  phases: ['output'],
  parameters: z.strictObject({}),
});

export const moderation = defineCheckEntry({
  id: 'default.moderation',
  summary: 'Fails when an endpoint in the format of the OpenAI moderations API flags the text.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    url: httpUrl('url is the endpoint.').default('https://api.openai.com/v1/moderations'),
    model: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: 'model is sent along; without it the endpoint decides.' }),
    categories: names('categories fail the check; without any, whatever is flagged does.').default([]),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'threshold makes scores count instead of flags: from it on, a category is found.' }),
    not,
    ...call,
  }),
  credential: { fields: [apiKey(false)] },
  addressParameters: ['url'],
  callsOut: true,
  quotes: ['textExcerpt'],
});

export const HOSTED_CHECKS = [gwModerateContent, gwLanguage, gwPii, gwGibberish, gwDataservice, moderation] as const;
