/** The provider that comes with an integration: docs/behaviour/management.md#integrations. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { RestError } from '../../http/rest-error.ts';
import type { Home } from '../../tenancy/index.ts';
import type { Services } from '../family.ts';
import { written } from '../write.ts';

interface Wanted {
  readonly create_default_provider?: boolean | null | undefined;
  readonly default_provider_slug?: string | null | undefined;
}

export interface DefaultProvider {
  readonly home: Home;
  readonly slug: string;
  /** Of the integration. */
  readonly name: string;
}

interface Of {
  readonly home: Home;
  /** Of the integration. */
  readonly name: string;
  /** Of its account. */
  readonly provider: string;
}

/** Undefined where none is wanted, or the workspace has a provider of the integration. Throws RestError INVALID for a slug that is taken. */
export async function planProvider(
  { create_default_provider: wanted, default_provider_slug: slug }: Wanted,
  { home, name, provider }: Of,
  { store }: Services,
): Promise<DefaultProvider | undefined> {
  if (wanted === false || !PROVIDER_CATALOGUE.has(provider)) return undefined;
  const present = await store.list('Provider', home.namespace);
  if (present.some(({ spec }) => spec.integrationRef.name === name)) return undefined;
  const planned = { home, name, slug: slug ?? name };
  const isTaken = present.some(({ meta }) => meta.name === planned.slug);
  if (!isTaken) return planned;
  const message = `body default_provider_slug: the workspace has a provider ${planned.slug} already; choose another slug, or create_default_provider false`;
  throw new RestError('INVALID', { message, param: 'default_provider_slug' });
}

/** Throws the RestError of a problem. */
export async function makeProvider(
  { home, slug, name }: DefaultProvider,
  { store }: Services,
  dryRun: boolean,
): Promise<void> {
  const place = { kind: 'Provider', namespace: home.namespace, name: slug } as const;
  const draft = { spec: { integrationRef: { name } } };
  const names = { displayName: 'name', name: 'default_provider_slug' };
  written(await store.create(place, draft, { force: false, dryRun }), 'default provider', names);
}
