import { z } from 'zod';
import { mapList, price, type Rule, text, withRules } from '../schema/index.ts';
import { defineKind, description, perMillionTokens, providerId, statusOf } from './parts/index.ts';

const imagePrice = z.strictObject({
  quality: text('quality is the requested quality, or default.', 64),
  size: text('size is the requested size, or default.', 64),
  usd: price('usd is the price of one image in US dollars.'),
});

const additionalUnit = z.strictObject({
  name: text('name is the unit, e.g. web_search or thinking_token.', 64),
  usd: price('usd is the price of one unit in US dollars.'),
});

const fields = z
  .strictObject({
    description: description.optional(),
    provider: providerId('provider is the id of the provider, as in the provider reference.'),
    model: text('model is the name of the model at the provider, or default for all models without a price.', 256),
    usdPerMillionTokens: perMillionTokens(
      'usdPerMillionTokens are prices in US dollars per million tokens.',
    ).optional(),
    usdPerRequest: price('usdPerRequest is a fixed price of one call in US dollars.').optional(),
    images: mapList(imagePrice, ['quality', 'size'], {
      description: 'images are prices of generated images by quality and size.',
      max: 64,
    }).optional(),
    additionalUnits: mapList(additionalUnit, ['name'], {
      description: 'additionalUnits are prices of other units that the provider counts.',
      max: 64,
    }).optional(),
    batchUsdPerMillionTokens: perMillionTokens(
      'batchUsdPerMillionTokens are prices of batches; absent: half of the other prices.',
    ).optional(),
    finetuneUsdPerMillionTokens: price(
      'finetuneUsdPerMillionTokens is the price of training tokens in US dollars per million.',
    ).optional(),
    finetuneUsdPerHour: price('finetuneUsdPerHour is the price of an hour of training in US dollars.').optional(),
  })
  .meta({ description: 'spec is the price list.' });

const MODEL = { provider: 'openai', model: 'gpt-4o' };

const PRICE_FIELDS = [
  'usdPerMillionTokens',
  'usdPerRequest',
  'images',
  'additionalUnits',
  'batchUsdPerMillionTokens',
  'finetuneUsdPerMillionTokens',
  'finetuneUsdPerHour',
] as const;

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: PRICE_FIELDS.map((field) => `has(self.${field})`).join(' || '),
    message: 'at least one price is needed',
    reason: 'FieldValueRequired',
    holds: (spec) => PRICE_FIELDS.some((field) => spec[field] !== undefined),
    valid: [{ ...MODEL, usdPerMillionTokens: { request: '2.5', response: '10' } }],
    invalid: [MODEL],
  },
];

export const modelPricing = defineKind({
  kind: 'ModelPricing',
  plural: 'modelpricings',
  shortNames: ['gwprice'],
  scope: 'Cluster',
  summary: 'Prices of one model, which replace those of the bundled catalogue.',
  spec: withRules(fields, RULES),
  status: statusOf({}),
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Model', type: 'string', jsonPath: '.spec.model' },
  ],
});
