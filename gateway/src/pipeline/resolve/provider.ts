/** The provider that a request names directly: `@slug`, virtual key, `@slug/model`, or the name of a provider. */
import { modelSlugOf } from '@gatehouse/crds/config';
import { API_KEY, PROVIDER_CATALOGUE, type ProviderField } from '@gatehouse/crds/providers';
import { AppError } from '../../errors/index.ts';
import { type MaybeSecret, Secret } from '../../lib/secret.ts';
import type { Provider } from '../../providers/contract.ts';
import type { ManagedProvider, SnapshotView } from '../../snapshot/index.ts';
import { checkCustomHost, type HostPolicy } from '../../upstream/host-guard/index.ts';
import { type Caller, type ClientRequest, modelOfPath } from '../exchange.ts';
import { OWN } from './own.ts';
import { nameSuggestion } from './suggest.ts';

export type RequestProvider =
  | { readonly kind: 'managed'; readonly record: ManagedProvider }
  | { readonly kind: 'named'; readonly provider: Provider; readonly fields: ReadonlyMap<string, MaybeSecret> };

export interface ProviderInput {
  readonly request: ClientRequest;
  readonly caller: Caller;
  readonly snapshot: SnapshotView;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly hosts: HostPolicy;
}

/** Headers of clouds have a second spelling, by letter. */
const ALIASES: readonly (readonly [from: string, to: string])[] = [
  ['x-gw-azure-', 'x-gw-cloud-a-'],
  ['x-gw-vertex-', 'x-gw-cloud-b-'],
  ['x-gw-aws-', 'x-gw-cloud-c-'],
];

/** The provider that headers name; undefined when they name none. Throws PROVIDER_UNKNOWN or PROVIDER_SLUG_UNKNOWN. */
export function providerOfHeaders(input: ProviderInput): RequestProvider | undefined {
  const named = slugOfHeaders(input.request);
  if (named !== undefined) return managedProvider(named.slug, named.header, input);
  const name = input.request.header('x-gw-provider')?.trim() ?? '';
  return name === '' ? undefined : literalProvider(name, input);
}

function slugOfHeaders(request: ClientRequest): { readonly slug: string; readonly header: string } | undefined {
  const name = request.header('x-gw-provider')?.trim();
  if (name?.startsWith('@')) return { slug: name.slice(1).split('/', 1)[0] ?? '', header: 'x-gw-provider' };
  const virtualKey = request.header('x-gw-virtual-key')?.trim() ?? '';
  return virtualKey === '' ? undefined : { slug: virtualKey.replace(/^@/, ''), header: 'x-gw-virtual-key' };
}

/** Whether the model of a request decides which account it goes to, or whether it may. */
export function isModelDecisive(
  { request, snapshot }: Pick<ProviderInput, 'request' | 'snapshot'>,
  { workspace }: Caller,
): boolean {
  if (namingHeader(request) === undefined) return modelOfPath(request) === undefined;
  const named = slugOfHeaders(request);
  return named !== undefined && snapshot.provider(workspace.name, named.slug)?.models !== undefined;
}

/** The header by which `providerOfHeaders` finds one; undefined when none names a provider. */
export function namingHeader(request: ClientRequest): string | undefined {
  const name = request.header('x-gw-provider')?.trim() ?? '';
  const virtualKey = request.header('x-gw-virtual-key')?.trim() ?? '';
  if (virtualKey !== '' && !name.startsWith('@')) return 'x-gw-virtual-key';
  return name === '' ? undefined : 'x-gw-provider';
}

/**
 * The account and model of `@slug/model`; undefined for model names of vendors that begin with `@`. Throws
 * PROVIDER_SLUG_UNKNOWN or MODEL_REQUIRED.
 */
export function providerOfModel(
  model: string,
  input: ProviderInput,
): { readonly provider: RequestProvider; readonly model: string } | undefined {
  const isSlugAlone = !model.includes('/');
  const slug = isSlugAlone ? model.slice(1) : modelSlugOf(model);
  if (slug === undefined) return undefined;
  const provider = managedProvider(slug, 'model', input);
  const rest = isSlugAlone ? '' : model.slice(slug.length + 2);
  if (rest.trim() !== '') return { provider, model: rest };
  throw new AppError('MODEL_REQUIRED', {
    param: 'model',
    detail: `model names the provider @${slug} and no model of it: send @${slug}/MODEL`,
  });
}

/** The slug of `@slug/model` and of `@slug` alone; undefined for all other names of models. */
export function slugOfModel(model: string): string | undefined {
  if (model.includes('/')) return modelSlugOf(model);
  return model.startsWith('@') ? model.slice(1) : undefined;
}

/** The account of a slug that a saved prompt names. Throws PROVIDER_SLUG_UNKNOWN. */
export const providerOfSlug = (slug: string, input: Pick<ProviderInput, 'caller' | 'snapshot'>): RequestProvider =>
  managedProvider(slug, 'prompt_id', input);

function managedProvider(
  slug: string,
  param: string,
  { caller, snapshot }: Pick<ProviderInput, 'caller' | 'snapshot'>,
): RequestProvider {
  const record = snapshot.provider(caller.workspace.name, slug);
  if (record !== undefined) return { kind: 'managed', record };
  throw new AppError('PROVIDER_SLUG_UNKNOWN', {
    param,
    detail: `No provider or virtual key @${slug} in the workspace ${caller.workspace.name}${slugSuggestion(slug, caller, snapshot)}`,
  });
}

/** A suggestion for an unknown slug; `sign` is what is written before one. */
export function slugSuggestion(
  slug: string,
  { workspace }: Caller,
  snapshot: SnapshotView,
  sign: '@' | '' = '@',
): string {
  const known = snapshot.providers(workspace.name).map((record) => record.slug);
  return nameSuggestion(slug, known, (text) => `${sign}${text}`);
}

/** The gateway itself is named for an operation that it does not serve. */
const notOwn = (provider: string): AppError =>
  new AppError('PROVIDER_UNKNOWN', {
    param: 'x-gw-provider',
    detail: `${provider} stands for the gateway itself, which keeps files and batches alone: name a provider`,
  });

function literalProvider(
  name: string,
  { request, caller, snapshot, providers, hosts }: ProviderInput,
): RequestProvider {
  const provider = providers.get(name);
  if (provider === undefined) {
    if (name === OWN) throw notOwn(name);
    const meant = snapshot.provider(caller.workspace.name, name) === undefined ? undefined : `; did you mean @${name}?`;
    throw new AppError('PROVIDER_UNKNOWN', {
      param: 'x-gw-provider',
      detail: `Invalid provider passed: ${name}${meant ?? nameSuggestion(name, [...providers.keys()])} (a provider of the workspace is written @slug)`,
    });
  }
  const fields = new Map<string, MaybeSecret>();
  const credential = credentialOf(request, caller);
  if (credential !== undefined) fields.set(API_KEY, credential);
  for (const { field, headers } of fieldHeadersOf(name)) {
    const value = firstOf(headers, request);
    if (value === undefined) continue;
    if (field.url) refuseBadHost(value, field.header ?? field.key, hosts);
    fields.set(field.key, field.kind === 'secret' ? new Secret(value) : value);
  }
  return { kind: 'named', provider, fields };
}

/** The client's own credential for the provider: the bearer token, or `x-api-key`, which some SDKs send. */
function credentialOf(request: ClientRequest, { credential, keyHeaders }: Caller): Secret | undefined {
  const vendorKey = keyHeaders.has('x-api-key') ? undefined : request.header('x-api-key');
  return credential ?? (vendorKey === undefined ? undefined : new Secret(vendorKey));
}

/** A header with a provider's address obeys the rules of custom hosts; docs/behaviour/hosts.md. */
function refuseBadHost(url: string, header: string, hosts: HostPolicy): void {
  const checked = checkCustomHost(url, hosts, 'request');
  if (!checked.ok) throw new AppError('CUSTOM_HOST_REFUSED', { param: header, detail: `${header}: ${checked.error}` });
}

/** The fields of one kind that headers set; `call` fields count also for stored accounts. */
export function headerFields(
  kind: 'call' | 'routing',
  providerId: string,
  request: ClientRequest,
): ReadonlyMap<string, string> | undefined {
  let found: Map<string, string> | undefined;
  for (const { field, headers } of fieldHeadersOf(providerId)) {
    if (field.kind !== kind) continue;
    const value = firstOf(headers, request);
    if (value === undefined) continue;
    found ??= new Map();
    found.set(field.key, value);
  }
  return found;
}

/** Whether the request sets fields of the provider by headers of the gateway; headers that SDKs of vendors send do not count. */
export const namesOwnFields = (providerId: string, request: ClientRequest): boolean =>
  fieldHeadersOf(providerId).some(({ own }) => firstOf(own, request) !== undefined);

/** A field that headers set; of several the first that a request has. */
interface FieldHeaders {
  readonly field: ProviderField;
  readonly headers: readonly string[];
  /** Those of the gateway. */
  readonly own: readonly string[];
}

const FIELD_HEADERS: ReadonlyMap<string, readonly FieldHeaders[]> = new Map(
  [...PROVIDER_CATALOGUE].map(([id, { fields }]) => [id, fields.flatMap(toFieldHeaders)]),
);

const NO_FIELDS: readonly FieldHeaders[] = [];

const fieldHeadersOf = (providerId: string): readonly FieldHeaders[] => FIELD_HEADERS.get(providerId) ?? NO_FIELDS;

function toFieldHeaders(field: ProviderField): readonly FieldHeaders[] {
  const { header, plainHeader } = field;
  if (header === undefined) return [];
  const alias = aliasOf(header);
  const own = alias === undefined ? [header] : [header, alias];
  return [{ field, headers: plainHeader === undefined ? own : [...own, plainHeader], own }];
}

function firstOf(names: readonly string[], request: ClientRequest): string | undefined {
  for (const name of names) {
    const value = request.header(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The other spelling of a header. */
export function aliasOf(header: string): string | undefined {
  for (const [from, to] of ALIASES) if (header.startsWith(from)) return to + header.slice(from.length);
  return undefined;
}
