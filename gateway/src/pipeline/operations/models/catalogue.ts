/** The models of the managed providers in the Snapshot. */
import type { ManagedProvider } from '../../../snapshot/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { Resolution } from '../../resolve/index.ts';
import type { LocalAnswer, ResolvedRequest } from '../operation.ts';
import { isAnthropicClient, toAnthropicList } from './anthropic-list.ts';

/** The catalogue answers when a header or the config asks for it, or when the request names no provider at all. */
export function answerFromCatalogue(request: ResolvedRequest): LocalAnswer | undefined {
  return wantsCatalogue(request) ? catalogueAnswer(request) : undefined;
}

function wantsCatalogue({ exchange: { request }, resolution }: ResolvedRequest): boolean {
  if (request.header('x-gw-fetch-integrated-models')?.trim().toLowerCase() === 'true') return true;
  return resolution.plan.fetchIntegratedModels || !namesProvider(resolution);
}

const namesProvider = ({ plan, requestProvider }: Resolution): boolean =>
  requestProvider !== undefined || !plan.needsRequestProvider;

/** The models of the managed providers in reach, narrowed to those that are named. No upstream is called. */
function catalogueAnswer({ exchange, caller, resolution }: ResolvedRequest): LocalAnswer {
  const slugs = new Set(resolution.plan.hasPassthrough ? [] : resolution.plan.slugs); // a passthrough target may be any
  if (resolution.requestProvider?.kind === 'managed') slugs.add(resolution.requestProvider.record.slug);
  const data = exchange.snapshot
    .providers(caller.workspace.name)
    .filter(({ slug }) => slugs.size === 0 || slugs.has(slug))
    .flatMap(modelsOf);
  const { request } = exchange;
  const list = isAnthropicClient(request)
    ? toAnthropicList({ data, displayNames: NO_NAMES, query: request.query })
    : { object: 'list', total: data.length, data };
  const bytes = Buffer.from(JSON.stringify(list));
  return { headers: { 'content-type': 'application/json' }, bytes };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function modelsOf({ slug, models, modelNames, modelMarks, baseModels, provider }: ManagedProvider): JsonObject[] {
  return [...(models ?? modelNames.keys())].map((model) => ({
    id: `@${slug}/${model}`,
    slug: model,
    ...(modelNames.get(model) === undefined ? {} : { display_name: modelNames.get(model) }),
    ...(modelMarks.get(model)?.includes('custom') ? { is_custom: true } : {}),
    ...(modelMarks.get(model)?.includes('finetune') ? { is_finetune: true } : {}),
    ...(baseModels.get(model) === undefined ? {} : { base_model: baseModels.get(model) }),
    object: 'model',
    created: 0,
    owned_by: provider.id,
  }));
}
