/** GET /v1/models from the gateway's own catalogue; behaviour-models-adapters 13, decision 16. */
import type { ManagedProvider } from '../snapshot/index.ts';
import type { Caller, Exchange, HeaderMap } from './exchange.ts';
import type { Resolution } from './resolve/index.ts';

interface Input {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
}

/** The catalogue answers when it is asked for, or when the request names no provider at all. */
export function wantsCatalogue({ exchange, resolution }: Input): boolean {
  const { operation, request } = exchange;
  if (operation.id !== 'listModels') return false;
  if (request.header('x-gw-fetch-integrated-models')?.trim().toLowerCase() === 'true') return true;
  return resolution.plan.fetchIntegratedModels || !namesProvider(resolution);
}

const namesProvider = ({ plan, requestProvider }: Resolution): boolean =>
  requestProvider !== undefined || !plan.needsRequestProvider;

/** The models of the managed providers in reach, narrowed to those that are named. No upstream is called. */
export function catalogueAnswer({ exchange, caller, resolution }: Input): { headers: HeaderMap; bytes: Buffer } {
  const slugs = new Set(resolution.plan.hasPassthrough ? [] : resolution.plan.slugs); // a passthrough target may be any
  if (resolution.requestProvider?.kind === 'managed') slugs.add(resolution.requestProvider.record.slug);
  const data = exchange.snapshot
    .providers(caller.workspace.name)
    .filter(({ slug }) => slugs.size === 0 || slugs.has(slug))
    .flatMap(modelsOf);
  const bytes = Buffer.from(JSON.stringify({ object: 'list', total: data.length, data }));
  return { headers: { 'content-type': 'application/json' }, bytes };
}

function modelsOf({ slug, models, provider }: ManagedProvider): object[] {
  return [...(models ?? [])].map((model) => ({
    id: `@${slug}/${model}`,
    slug: model,
    object: 'model',
    created: 0,
    owned_by: provider.id,
  }));
}
