/**
 * Which hosts resources may send requests and credentials to: none that every gateway refuses, and of the others those that the
 * installation allows (`--allowed-custom-hosts`), written like `TRUSTED_CUSTOM_HOSTS` of gateways: domain names, which include
 * their subdomains, and IP addresses. See docs/behaviour/hosts.md.
 */
import type { Issue } from '@gatehouse/crds';
import { checkEntryOf, PLUGIN_CREDENTIALS } from '@gatehouse/crds/guardrails';
import { checkBaseUrl } from '@gatehouse/crds/hosts';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { AllowedHosts, WorldSettings } from '../../types/index.ts';

export const ALL_HOSTS: AllowedHosts = [];

/** The host of a pattern, without scheme, port, path and wildcard; undefined when it names none. */
export function parseHostPattern(pattern: string): string | undefined {
  const authority = pattern.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const domain = authority.replace(/^\*\./, '');
  const host = hostOf(`http://${BARE_IPV6.test(domain) ? `[${domain}]` : domain}`);
  if (host === undefined || !HOST.test(host)) return undefined;
  return domain !== authority && isAddress(host) ? undefined : host;
}

const BARE_IPV6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;
/** A name of labels, or an IP address as a URL has it. */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/;

/** One spelling per host. */
function hostOf(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname.replace(/\.$/, '');
  return hostname === '' ? undefined : hostname;
}

/** For a host in the form that URLs give it: whatever ends in a number is an address. */
const isAddress = (host: string): boolean => host.startsWith('[') || /\.\d+$/.test(host);

/** Whether a base URL leads to an allowed host. */
export function isAllowedHost(url: string, allowed: AllowedHosts): boolean {
  if (allowed.length === 0) return true;
  const host = hostOf(url);
  if (host === undefined) return false;
  return allowed.some((pattern) => host === pattern || (!isAddress(host) && host.endsWith(`.${pattern}`)));
}

type Path = Issue['path'];

/** What the installation says about hosts; nothing before its state is complete. */
export type HostRules = Partial<Pick<WorldSettings, 'allowedHosts' | 'organisationNamespace' | 'fleetNamespaces'>>;

/** One issue for each host of a resource that no gateway would call or that is not allowed. */
export function hostIssues(resource: ResourceOf<KindName>, rules: HostRules): Issue[] {
  return hostsOfResource(resource).flatMap(({ path, url }): Issue[] => {
    const message = hostProblem(url, rules);
    return message === undefined ? [] : [{ code: 'invalid', path, message }];
  });
}

function hostProblem(
  url: string,
  { allowedHosts = ALL_HOSTS, organisationNamespace = '', fleetNamespaces = [] }: HostRules,
): string | undefined {
  const checked = checkBaseUrl(url, [organisationNamespace, ...fleetNamespaces]);
  if (!checked.ok) return `no gateway sends anything there: ${checked.error}`;
  if (isAllowedHost(url, allowedHosts)) return undefined;
  return 'the host is not one of those that the installation allows (--allowed-custom-hosts)';
}

export interface NamedHost {
  readonly path: Path;
  readonly url: string;
}

/** The hosts that a resource names itself. */
export function hostsOfResource(resource: ResourceOf<KindName>): readonly NamedHost[] {
  switch (resource.kind) {
    case 'GatewayConfig':
      return hostsOfNode(resource.spec.config, ['spec', 'config']);
    case 'VirtualKey':
      return hostsOfNode(resource.spec, ['spec']);
    case 'Integration':
      return [...hostsOfNode(resource.spec, ['spec']), ...hostsOfModels(resource.spec.models ?? [])];
    case 'Guardrail':
      return hostsOfChecks(resource.spec.checks, ['spec', 'checks']);
    case 'SecretReference':
      return resource.spec.vault === undefined
        ? []
        : [{ path: ['spec', 'vault', 'address'], url: resource.spec.vault.address }];
    case 'McpIntegration':
      return [{ path: ['spec', 'url'], url: resource.spec.url }];
    case 'Organisation':
      return (resource.spec.jwtIssuers ?? []).flatMap(({ jwksUri }, i) =>
        jwksUri === undefined ? [] : [{ path: ['spec', 'jwtIssuers', i, 'jwksUri'], url: jwksUri }],
      );
    default:
      return [];
  }
}

interface Check {
  readonly id: string;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

const URL_START = /^\s*https?:\/\//i;

/** URLs among the parameters of checks that call a service. */
const hostsOfChecks = (checks: readonly Check[], path: Path): NamedHost[] =>
  checks.flatMap(({ id, parameters = {} }, i) =>
    checkEntryOf(id)?.callsOut !== true
      ? []
      : Object.entries(parameters).flatMap(([name, value]) =>
          typeof value === 'string' && URL_START.test(value)
            ? [{ path: [...path, i, 'parameters', name], url: value.trim() }]
            : [],
        ),
  );

const hostsOfModels = (models: readonly { readonly customHost?: string | undefined }[]): NamedHost[] =>
  models.flatMap(({ customHost }, i) =>
    customHost === undefined ? [] : [{ path: ['spec', 'models', i, 'customHost'], url: customHost }],
  );

interface Node {
  readonly provider?: string | undefined;
  readonly customHost?: string | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly targets?: readonly Node[] | undefined;
}

function hostsOfNode({ provider = '', customHost, settings = {}, targets = [] }: Node, path: Path): NamedHost[] {
  const named = [
    { at: ['customHost'], url: customHost },
    ...urlSettings(provider, settings).map((key) => ({ at: ['settings', key], url: settings[key] })),
  ];
  return [
    ...named.flatMap(({ at, url }) => (url === undefined ? [] : [{ path: [...path, ...at], url }])),
    ...targets.flatMap((target, i) => hostsOfNode(target, [...path, 'targets', i])),
  ];
}

/** Names of the settings that hold a URL. */
function urlSettings(provider: string, settings: Readonly<Record<string, string>>): readonly string[] {
  const entry = PROVIDER_CATALOGUE.get(provider);
  if (entry !== undefined) return entry.fields.filter(({ url }) => url).map(({ key }) => key);
  if (!PLUGIN_CREDENTIALS.has(provider)) return [];
  return Object.keys(settings).filter((key) => URL_START.test(settings[key] ?? ''));
}

/** Whether all hosts of an entry are allowed; it may have been published under other rules. */
export function staysWithin(entry: AnyEntry, allowed: AllowedHosts): boolean {
  return hostsOfEntry(entry).every(({ url }) => isAllowedHost(url, allowed));
}

export function hostsOfEntry(entry: AnyEntry): readonly NamedHost[] {
  if (entry.kind === 'issuer') {
    return entry.body.jwksUri === undefined ? [] : [{ path: ['jwksUri'], url: entry.body.jwksUri }];
  }
  if (entry.kind === 'config') return hostsOfNode(entry.body.node, []);
  if (entry.kind === 'guardrail') return hostsOfChecks(entry.body.checks, ['checks']);
  if (entry.kind !== 'provider') return [];
  const ofModels = Object.entries(entry.body.modelHosts ?? {});
  return [...hostsOfNode(entry.body, []), ...ofModels.map(([model, url]) => ({ path: ['modelHosts', model], url }))];
}
