import type { ResourceOf } from '@gatehouse/crds/kinds';
import { integrationModels } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid, RestError } from '../../http/rest-error.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { givenFields } from '../fields.ts';
import { type FieldNames, written } from '../write.ts';
import { find, WHAT } from './find.ts';
import { NAMES as OF_INTEGRATION } from './integrations.ts';
import { type IntegrationObject, toDraft } from './spec.ts';

const NAMES: FieldNames = {
  ...OF_INTEGRATION,
  customHost: 'custom_host',
  baseModel: 'base_model_slug',
  usdPerMillionTokens: 'pricing_config',
  custom: 'is_custom',
  finetune: 'is_finetune',
};

type Model = NonNullable<ResourceOf<'Integration'>['spec']['models']>[number];
type Given = z.output<typeof integrationModels.write.body>['models'][number];
type Switch = Given['is_custom'];
type Price = { readonly price: number } | undefined;

/** US cents for one token, and US dollars for a million. */
const CENTS_TO_USD = 10_000;

/** Without the noise of binary fractions, and never in exponents. */
const toUsd = ({ price }: NonNullable<Price>): string => (price * CENTS_TO_USD).toFixed(9).replace(/\.?0+$/, '');
const toCents = (usd: string | undefined) =>
  usd === undefined ? undefined : { price: Number((Number(usd) / CENTS_TO_USD).toPrecision(12)) };

const toFlag = (given: Switch): boolean | null | undefined =>
  given === undefined || given === null ? given : given === true || given === 1 || given === 'true';

/** The members that are given over those that are there. */
function toModel(given: Given, before: Model | undefined): object {
  const { request_token: request, response_token: response } = given.pricing_config?.pay_as_you_go ?? {};
  const prices =
    given.pricing_config === undefined || given.pricing_config === null
      ? given.pricing_config
      : {
          ...before?.usdPerMillionTokens,
          ...(request === undefined ? {} : { request: toUsd(request) }),
          ...(response === undefined ? {} : { response: toUsd(response) }),
        };
  const { configurations } = given;
  return {
    ...before,
    slug: given.slug,
    enabled: given.enabled,
    ...givenFields({
      custom: toFlag(given.is_custom) ?? (given.is_custom === null ? false : undefined),
      finetune: toFlag(given.is_finetune) ?? (given.is_finetune === null ? false : undefined),
      baseModel: given.base_model_slug,
      customHost: configurations === null ? null : configurations?.custom_host,
      usdPerMillionTokens: prices,
    }),
  };
}

/** Entries are merged by their slugs. */
function merged(given: readonly Given[], before: readonly Model[]): readonly object[] {
  const bySlug = new Map<string, object>(before.map((model) => [model.slug, model]));
  const known = new Map(before.map((model) => [model.slug, model]));
  for (const model of given) bySlug.set(model.slug, toModel(model, known.get(model.slug)));
  return [...bySlug.values()];
}

function refuseRepeated(given: readonly Given[]): void {
  const seen = new Set<string>();
  for (const [i, { slug }] of given.entries()) {
    if (seen.has(slug)) {
      throw invalid([{ code: 'invalid', path: ['models', i, 'slug'], message: 'it is in the list twice' }], 'body');
    }
    seen.add(slug);
  }
}

/** Whether a host is new to the credential. Throws RestError for a model whose headers would go to another host. */
function hasNewHost(given: readonly Given[], { customHost, models = [] }: IntegrationObject['spec']): boolean {
  const known = new Set([customHost, ...models.map((model) => model.customHost)]);
  return given.some(({ slug, configurations }, i) => {
    const host = configurations?.custom_host;
    if (host === undefined || host === null) return false;
    const before = models.find((model) => model.slug === slug);
    if (before?.headers !== undefined && before.customHost !== host) {
      const message =
        'the model has headers of its own, which would go to another place; change it where they are written';
      const path = ['models', i, 'configurations', 'custom_host'];
      throw invalid([{ code: 'invalid', path, message }], 'body');
    }
    return !known.has(host);
  });
}

function toView({ slug, displayName, enabled, custom, finetune, baseModel, customHost, usdPerMillionTokens }: Model) {
  const request = toCents(usdPerMillionTokens?.request);
  const response = toCents(usdPerMillionTokens?.response);
  const prices = {
    ...(request === undefined ? {} : { request_token: request }),
    ...(response === undefined ? {} : { response_token: response }),
  };
  return {
    slug,
    name: displayName ?? slug,
    enabled,
    is_custom: custom,
    is_finetune: finetune,
    base_model_slug: baseModel ?? null,
    configurations: { custom_host: customHost ?? null },
    pricing_config: usdPerMillionTokens === undefined ? null : { type: 'static' as const, pay_as_you_go: prices },
  };
}

/** Throws RestError for a slug of no model, and for one of a model that is not custom. */
function withoutCustom(slugs: readonly string[], models: readonly Model[]): readonly Model[] {
  for (const slug of slugs) {
    const model = models.find((one) => one.slug === slug);
    if (model === undefined) {
      throw new RestError('ABSENT', {
        message: `The integration has no settings for the model ${slug}`,
        param: 'slugs',
      });
    }
    if (!model.custom) {
      const message = `query slugs: ${slug} is no custom model; set enabled to false instead`;
      throw new RestError('INVALID', { message, param: 'slugs' });
    }
  }
  return models.filter(({ slug }) => !slugs.includes(slug));
}

export const INTEGRATION_MODELS: readonly BoundOperation[] = [
  serveOperation(integrationModels.list, async (call, services) => {
    const { object } = await find(call, services, 'read');
    const { models = [], allowAllModels } = object.spec;
    return { total: models.length, models: models.map(toView), allow_all_models: allowAllModels };
  }),
  serveOperation(integrationModels.write, async (call, services) => {
    const { place } = await find(call, services, 'update');
    const { models: given, allow_all_models: allowAllModels, key, configurations } = call.body;
    refuseRepeated(given);
    const { randomName } = services;
    const change = ({ meta, spec }: IntegrationObject) => {
      const isMoved = hasNewHost(given, spec);
      const draft = toDraft({ key, configurations }, { name: meta.name, randomName, isMoved }, spec);
      const models = merged(given, spec.models ?? []);
      return {
        ...draft,
        spec: {
          ...draft.spec,
          ...givenFields({ allowAllModels }),
          ...(models.length === 0 ? {} : { models }),
        },
      };
    };
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
  serveOperation(integrationModels.deleteCustom, async (call, services) => {
    const { place } = await find(call, services, 'update');
    const slugs = call.query.slugs.split(',').map((slug) => slug.trim());
    const change = ({ spec }: IntegrationObject) => {
      const left = withoutCustom(slugs, spec.models ?? []);
      return { spec: { ...spec, models: left.length === 0 ? undefined : left } };
    };
    written(await services.store.update(place, change, { force: call.force }), WHAT, NAMES);
    return {};
  }),
];
