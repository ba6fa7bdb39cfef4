/** A `config.yaml` of LiteLLM: each model name becomes a config over the accounts that serve it. */
import { formatPath, isObject } from '@gatehouse/crds';
import { API_VERSION, parseResource } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type Collected, createCollected, type Imported } from './collected.ts';

type Row = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Prefixes of models that are called otherwise here. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure-openai'],
  ['gemini', 'google'],
  ['vertex_ai', 'vertex-ai'],
  ['together_ai', 'together-ai'],
  ['fireworks_ai', 'fireworks-ai'],
  ['mistral', 'mistral-ai'],
]);
const AZURE_HOST = /^https:\/\/([a-z0-9-]+)\.openai\.azure\.com\/?$/;
const MS_PER_SECOND = 1_000;
const MAX_RETRIES = 5;

interface Deployment {
  readonly account: string;
  readonly model: string;
  readonly weight: number | undefined;
  readonly timeoutMs: number | undefined;
}

/** Members that are read, with their types; all others are reported. */
const KNOWN_PARAMS: Readonly<Record<string, 'string' | 'number'>> = {
  model: 'string',
  api_key: 'string',
  api_base: 'string',
  api_version: 'string',
  rpm: 'number',
  tpm: 'number',
  weight: 'number',
  timeout: 'number',
};

export function importLiteLlm(document: Row): Imported {
  const collected = createCollected();
  const models = Array.isArray(document['model_list']) ? document['model_list'] : [];
  const groups = new Map<string, Deployment[]>();
  for (const [i, row] of models.entries()) {
    const path = ['model_list', i];
    const deployment = isObject(row) ? toDeployment(row, path, collected) : undefined;
    if (deployment === undefined) continue;
    const name = String(isObject(row) ? row['model_name'] : '');
    groups.set(name, [...(groups.get(name) ?? []), deployment]);
  }
  const settings = readSettings(document, collected);
  for (const name of groups.keys()) {
    collected.add('GatewayConfig', collected.nameFor(name), {
      displayName: name,
      config: toConfig(name, { groups, settings, collected }),
    });
  }
  return collected.done();
}

function toDeployment(row: Row, path: Path, collected: Collected): Deployment | undefined {
  const { model_name: name } = row;
  const params = isObject(row['litellm_params']) ? row['litellm_params'] : {};
  const at = [...path, 'litellm_params'];
  const found = modelOf(String(params['model'] ?? ''));
  if (found === undefined || typeof name !== 'string') {
    collected.skip(formatPath([...at, 'model']), `no provider for ${String(params['model'])}`);
    return undefined;
  }
  if (row['model_info'] !== undefined) collected.skip(formatPath([...path, 'model_info']), NO_COUNTERPART);
  reportParams(params, at, collected);
  const account = collected.nameFor(`${found.provider}-${name}`);
  const spec = toAccount({ ...found, params }, account, collected);
  const resource = { apiVersion: API_VERSION, kind: 'VirtualKey', metadata: { name: account }, spec };
  const checked = parseResource('VirtualKey', resource);
  if (!checked.ok) {
    for (const issue of checked.error) collected.skip(formatPath(at), `${formatPath(issue.path)}: ${issue.message}`);
    return undefined;
  }
  collected.add('VirtualKey', account, spec);
  return { account, model: found.model, weight: numberOf(params['weight']), timeoutMs: inMs(params['timeout']) };
}

const NO_COUNTERPART = 'has no counterpart';

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const inMs = (value: unknown): number | undefined => (typeof value === 'number' ? value * MS_PER_SECOND : undefined);

/** The part of a model before its first slash is the provider; without one it is OpenAI. */
function modelOf(text: string): { readonly provider: string; readonly model: string } | undefined {
  const [prefix = '', ...rest] = text.split('/');
  if (rest.length === 0) return prefix === '' ? undefined : { provider: 'openai', model: prefix };
  const provider = PROVIDERS.get(prefix) ?? prefix.replaceAll('_', '-');
  return PROVIDER_CATALOGUE.has(provider) ? { provider, model: rest.join('/') } : undefined;
}

function reportParams(params: Row, path: Path, collected: Collected): void {
  for (const [member, value] of Object.entries(params)) {
    const type = KNOWN_PARAMS[member];
    if (type === undefined) collected.skip(formatPath([...path, member]), NO_COUNTERPART);
    else if (typeof value !== type) collected.skip(formatPath([...path, member]), `is no ${type}`);
  }
}

interface Given {
  readonly provider: string;
  readonly params: Row;
  readonly model: string;
}

function toAccount({ provider, params, model }: Given, name: string, collected: Collected): Row {
  const { api_base: base, api_version: version, rpm, tpm } = params;
  const resource = typeof base === 'string' ? AZURE_HOST.exec(base)?.[1] : undefined;
  const isAzure = provider === 'azure-openai';
  const limits = [
    { type: 'requests', unit: 'rpm', value: rpm },
    { type: 'tokens', unit: 'rpm', value: tpm },
  ].filter(({ value }) => typeof value === 'number');
  return {
    provider,
    secretRef: collected.credential(name, 'api-key', params['api_key']),
    ...(isAzure && resource !== undefined ? { settings: { resource_name: resource } } : {}),
    ...(typeof base === 'string' && !(isAzure && resource !== undefined) ? { customHost: base } : {}),
    ...(isAzure
      ? {
          deployments: [
            { deploymentId: model, ...(typeof version === 'string' ? { apiVersion: version } : {}), isDefault: true },
          ],
        }
      : {}),
    ...(limits.length === 0 ? {} : { rateLimits: limits }),
  };
}

interface Settings {
  /** Names of models that follow one. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  readonly retries: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly isCached: boolean;
}

const READ: Readonly<Record<string, readonly string[]>> = {
  router_settings: ['fallbacks', 'num_retries', 'timeout'],
  litellm_settings: ['fallbacks', 'num_retries', 'request_timeout', 'cache'],
};

/** The settings of the router go before those of the library. */
function readSettings(document: Row, collected: Collected): Settings {
  const router = isObject(document['router_settings']) ? document['router_settings'] : {};
  const own = isObject(document['litellm_settings']) ? document['litellm_settings'] : {};
  for (const [section, value] of Object.entries(document)) {
    if (section !== 'model_list') reportSection(section, value, collected);
  }
  for (const member of ['fallbacks', 'num_retries'].filter((one) => one in router && one in own)) {
    collected.skip(formatPath(['litellm_settings', member]), 'that of router_settings is taken');
  }
  if ('timeout' in router && 'request_timeout' in own) {
    collected.skip('litellm_settings.request_timeout', 'the timeout of router_settings is taken');
  }
  const retries = numberOf(router['num_retries'] ?? own['num_retries']);
  if (retries !== undefined && retries > MAX_RETRIES) {
    collected.skip('num_retries', `${retries} is more than ${MAX_RETRIES}, which is taken`);
  }
  return {
    fallbacks: fallbacksIn(router['fallbacks'] ?? own['fallbacks']),
    retries: retries === undefined ? undefined : Math.min(retries, MAX_RETRIES),
    timeoutMs: inMs(router['timeout'] ?? own['request_timeout']),
    isCached: own['cache'] === true,
  };
}

function reportSection(section: string, value: unknown, collected: Collected): void {
  const known = READ[section] ?? [];
  if (!isObject(value)) {
    collected.skip(section, NO_COUNTERPART);
    return;
  }
  for (const member of Object.keys(value).filter((one) => !known.includes(one))) {
    collected.skip(formatPath([section, member]), NO_COUNTERPART);
  }
}

function fallbacksIn(value: unknown): ReadonlyMap<string, readonly string[]> {
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  return new Map(
    rows.flatMap((row) =>
      Object.entries(row).map(([name, list]) => [name, Array.isArray(list) ? list.map(String) : []]),
    ),
  );
}

interface Known {
  readonly groups: ReadonlyMap<string, readonly Deployment[]>;
  readonly settings: Settings;
  readonly collected: Collected;
}

function toConfig(name: string, { groups, settings, collected }: Known): Row {
  const next = settings.fallbacks.get(name) ?? [];
  const missing = next.filter((one) => !groups.has(one));
  for (const one of missing) collected.skip('fallbacks', `${name} falls back to ${one}, which is not in model_list`);
  const parts = [name, ...next.filter((one) => groups.has(one))].map((one) => toTarget(groups.get(one) ?? []));
  const [only = {}] = parts;
  const routes = parts.length === 1 ? only : { strategy: { mode: 'fallback' }, targets: parts };
  return {
    ...routes,
    ...(settings.retries === undefined ? {} : { retry: { attempts: settings.retries } }),
    ...(settings.timeoutMs === undefined ? {} : { requestTimeout: settings.timeoutMs }),
    ...(settings.isCached ? { cache: { mode: 'simple' } } : {}),
  };
}

function toTarget(deployments: readonly Deployment[]): Row {
  const targets = deployments.map(({ account, model, weight, timeoutMs }) => ({
    provider: `@${account}`,
    overrideParams: { model },
    ...(weight === undefined || deployments.length === 1 ? {} : { weight }),
    ...(timeoutMs === undefined ? {} : { requestTimeout: timeoutMs }),
  }));
  const [only = {}] = targets;
  return targets.length === 1 ? only : { strategy: { mode: 'loadbalance' }, targets };
}
