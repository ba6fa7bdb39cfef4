import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { Call, Endpoint, EndpointId, Provider, Template } from '../contract.ts';
import { compileDataPlane, type DataPlane } from './data-plane.ts';
import { compileDropped, type DroppedParams } from './dropped-params.ts';
import { compileModelPlaces, type ModelPlaces } from './model-places.ts';
import { type CompiledTemplate, compileTemplate } from './template.ts';

/** A path or base URL: a template taken apart, or the provider's own function. */
export type CompiledUrl = CompiledTemplate | ((call: Call) => string);

export type CompiledHeader = CompiledTemplate | ((call: Call) => string | undefined);

export interface CompiledEndpoint {
  readonly endpoint: Endpoint;
  readonly path: CompiledUrl;
  readonly streamPath: CompiledUrl;
  /** Undefined: its bodies leave nothing out. */
  readonly dropped: DroppedParams | undefined;
}

/** The parts of a provider that depend on neither target nor call. */
export interface CompiledProvider {
  readonly baseUrl: CompiledUrl;
  /** Whether the base URL depends on the call. */
  readonly basePerCall: boolean;
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>;
  readonly modelsPath: CompiledUrl | undefined;
  /** Headers that depend on the target alone. */
  readonly headers: readonly (readonly [name: string, template: CompiledTemplate])[];
  /** Headers that depend on the call. */
  readonly callHeaders: readonly (readonly [name: string, value: CompiledHeader])[];
  /** Headers of the provider's own that decide what a credential reaches; lower case. */
  readonly routingHeaders: ReadonlySet<string>;
  /** What proxied calls reach with a stored credential. */
  readonly dataPlane: DataPlane;
  /** Where proxied calls name their model. */
  readonly modelPlaces: ModelPlaces;
}

/** Placeholders with a value from the call. */
const CALL_KEYS: ReadonlySet<string> = new Set(['model', 'encoded_model', 'query']);

// A memo of a pure function: providers are constants of the program, so there are as many entries as providers.
const compiledProviders = new WeakMap<Provider, CompiledProvider>();

export function compileProvider(provider: Provider): CompiledProvider {
  const known = compiledProviders.get(provider);
  if (known !== undefined) return known;
  const baseUrl = compileUrl(provider.baseUrl);
  const headers = Object.entries(provider.headers ?? {}).map(([name, value]) => {
    const compiled = typeof value === 'function' ? value : compileTemplate(value);
    return [name.toLowerCase(), compiled] as const;
  });
  const compiled: CompiledProvider = {
    baseUrl,
    basePerCall: dependsOnCall(baseUrl),
    endpoints: compileEndpoints(provider),
    modelsPath: provider.models === undefined ? undefined : compileUrl(provider.models.path),
    headers: headers.filter((header): header is [string, CompiledTemplate] => !dependsOnCall(header[1])),
    callHeaders: headers.filter(([, value]) => dependsOnCall(value)),
    dataPlane: compileDataPlane(provider.proxy.dataPlane),
    modelPlaces: compileModelPlaces(provider.proxy.modelPlaces),
    routingHeaders: new Set([
      ...(provider.routingHeaders ?? []),
      ...headers.filter(([, value]) => isRouting(provider, value)).map(([name]) => name),
    ]),
  };
  compiledProviders.set(provider, compiled);
  return compiled;
}

function compileEndpoints(provider: Provider): ReadonlyMap<string, CompiledEndpoint> {
  const entries = Object.entries(provider.endpoints) as [EndpointId, Endpoint][]; // keys of a record by EndpointId
  return new Map(
    entries.map(([id, endpoint]) => [
      id,
      {
        endpoint,
        path: compileUrl(endpoint.path),
        streamPath: compileUrl(endpoint.streamPath ?? endpoint.path),
        dropped: compileDropped(endpoint),
      },
    ]),
  );
}

function compileUrl(value: Template | ((call: Call) => string)): CompiledUrl {
  return typeof value === 'function' ? value : compileTemplate(value);
}

function isRouting({ id }: Provider, value: CompiledHeader): boolean {
  if (typeof value === 'function') return false;
  const fields = PROVIDER_CATALOGUE.get(id)?.fields ?? [];
  return fields.some(({ key, kind }) => kind === 'routing' && value.keys.includes(key));
}

const dependsOnCall = (value: CompiledHeader): boolean =>
  typeof value === 'function' || value.keys.some((key) => CALL_KEYS.has(key));
