/** The models of the managed providers in the Snapshot: those that they list, or else those that their providers list. */
import type { ManagedProvider } from '../../../snapshot/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { Resolution } from '../../resolve/index.ts';
import type { AccountModels, LocalPorts, ResolvedRequest, WholeAnswer } from '../operation.ts';
import { isAnthropicClient, toAnthropicList } from './anthropic-list.ts';
import { type CatalogueQuery, type ListedModel, readCatalogueQuery } from './catalogue-query.ts';

/** The catalogue answers when a header or the config asks for it, or when the request names no provider at all. */
export function answerFromCatalogue(
  request: ResolvedRequest,
  { accountModels }: LocalPorts,
): WholeAnswer | undefined | Promise<WholeAnswer> {
  if (!wantsCatalogue(request)) return undefined;
  const accounts = accountsOf(request);
  const answer = () => catalogueAnswer(request, accounts, accountModels);
  return accountModels.prepare(accounts, request)?.then(answer) ?? answer();
}

function wantsCatalogue({ exchange: { request }, resolution }: ResolvedRequest): boolean {
  if (request.header('x-gw-fetch-integrated-models')?.trim().toLowerCase() === 'true') return true;
  return resolution.plan.fetchIntegratedModels || !namesProvider(resolution);
}

const namesProvider = ({ plan, requestProvider }: Resolution): boolean =>
  requestProvider !== undefined || !plan.needsRequestProvider;

/** The managed providers in reach, narrowed to those that are named. */
export function accountsOf({ exchange, caller, resolution }: ResolvedRequest): readonly ManagedProvider[] {
  const slugs = new Set(resolution.plan.hasPassthrough ? [] : resolution.plan.slugs); // a passthrough target may be any
  if (resolution.requestProvider?.kind === 'managed') slugs.add(resolution.requestProvider.record.slug);
  const all = exchange.snapshot.providers(caller.workspace.name);
  return slugs.size === 0 ? all : all.filter(({ slug }) => slugs.has(slug));
}

function catalogueAnswer(
  { exchange: { request } }: ResolvedRequest,
  accounts: readonly ManagedProvider[],
  listed: AccountModels,
): WholeAnswer {
  const models = accounts.flatMap((account) => modelsOf(account, listed.of(account)));
  const list = isAnthropicClient(request)
    ? toAnthropicList({ data: models.map(({ entry }) => entry), displayNames: NO_NAMES, query: request.query })
    : toPage(models, readCatalogueQuery(request.query));
  const bytes = Buffer.from(JSON.stringify(list));
  return { headers: { 'content-type': 'application/json' }, bytes };
}

interface CatalogueModel extends ListedModel {
  readonly entry: JsonObject;
}

function toPage(models: readonly CatalogueModel[], { select, page }: CatalogueQuery): object {
  const selected = select(models);
  return { object: 'list', total: selected.length, data: page(selected).map(({ entry }) => entry) };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** `listed`: by the provider, where the account has no list of its own. */
function modelsOf(
  { slug, models, modelNames, modelMarks, baseModels, provider }: ManagedProvider,
  listed: readonly string[],
): CatalogueModel[] {
  return [...(models ?? new Set([...modelNames.keys(), ...listed]))].map((model) => ({
    ...{ model, slug, service: provider.id },
    entry: {
      id: `@${slug}/${model}`,
      slug: model,
      ...(modelNames.get(model) === undefined ? {} : { display_name: modelNames.get(model) }),
      ...(modelMarks.get(model)?.includes('custom') ? { is_custom: true } : {}),
      ...(modelMarks.get(model)?.includes('finetune') ? { is_finetune: true } : {}),
      ...(baseModels.get(model) === undefined ? {} : { base_model: baseModels.get(model) }),
      object: 'model',
      created: 0,
      owned_by: provider.id,
    },
  }));
}
