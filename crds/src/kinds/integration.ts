import { z } from 'zod';
import { INTEGRATION_PLUGINS } from '../guardrails/index.ts';
import { factor, flag, httpUrl, mapList, text } from '../schema/index.ts';
import {
  checkConnection,
  connectionFields,
  defineKind,
  description,
  displayName,
  guardrailServiceIssues,
  headerMap,
  isGuardrailService,
  perMillionTokens,
  providerId,
  statusOf,
} from './parts/index.ts';

const model = z.strictObject({
  slug: text('slug is the name of the model at the provider.', 256),
  enabled: flag('enabled false withdraws the model.', true),
  displayName: displayName.optional(),
  custom: flag('custom marks a model that the catalogue of the provider does not list; GET /v1/models says so.', false),
  finetune: flag('finetune marks a fine-tuned model; GET /v1/models says so.', false),
  baseModel: text('baseModel is the model whose prices apply where the model has none.', 256).optional(),
  customHost: httpUrl(
    'customHost replaces the base URL of the integration for the model; the credential of the integration goes there.',
  ).optional(),
  headers: headerMap('headers are added to those of the integration for the model.').optional(),
  usdPerMillionTokens: perMillionTokens(
    'usdPerMillionTokens replaces the catalogue prices of the model, in US dollars per million tokens.',
  ).optional(),
});

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    provider: providerId(
      'provider is the id of the provider, as in the provider reference, or of a guardrail service, as in the reference of guardrails.',
      INTEGRATION_PLUGINS,
    ).meta({ immutable: 'provider cannot change; make another Integration' }),
    ...connectionFields,
    allowAllModels: flag('allowAllModels false admits only the models listed and enabled here.', true),
    models: mapList(model, ['slug'], {
      description: 'models are settings of single models, by slug.',
      max: 200,
    }).optional(),
    priceMultiplier: factor(
      'priceMultiplier multiplies all prices but those of models here, e.g. 0.8 for a discount.',
    ).optional(),
  })
  .meta({ description: 'spec is the desired state of the integration.' });

export const integration = defineKind({
  kind: 'Integration',
  plural: 'integrations',
  shortNames: ['gwint'],
  summary: 'An account at a provider or a guardrail service, granted to workspaces by IntegrationAccess.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'All models', type: 'string', jsonPath: '.spec.allowAllModels' },
  ],
  check: ({ spec: wanted }) =>
    isGuardrailService(wanted.provider) ? guardrailServiceIssues(wanted) : checkConnection(wanted),
});
