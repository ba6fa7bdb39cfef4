/** Which Services a resource names: read without validation, since a broken object keeps its endpoints. */
import { isObject } from '@gatehouse/crds';
import { destinationOf, readBaseUrl } from '@gatehouse/crds/hosts';
import type { KindName } from '@gatehouse/crds/kinds';
import type { KubeObject } from '../runtime/index.ts';
import { serviceOfHost } from '../translate/index.ts';

/** The Kinds that name hosts. */
export const NAMING_KINDS: readonly KindName[] = ['VirtualKey', 'Integration', 'GatewayConfig', 'Guardrail'];

/** Levels of targets that are read: as deep as documents may be. */
const MAX_DEPTH = 64;
const URL_START = /^\s*https?:\/\//i;

export interface Naming extends KubeObject {
  readonly spec?: unknown;
  /** Of a resource whose spec is not kept. */
  readonly weight?: unknown;
}

/** Names of Services of the object's own namespace. */
export function servicesNamedBy({ metadata, spec }: Naming, clusterDomain: string): ReadonlySet<string> {
  const { namespace = '' } = metadata;
  const names = new Set<string>();
  for (const url of urlsIn(spec, 0)) {
    const read = readBaseUrl(url);
    const named = read.ok ? serviceOfHost(destinationOf(read.value).host, namespace, clusterDomain) : undefined;
    if (named?.namespace === namespace) names.add(named.name);
  }
  return names;
}

/** `customHost`, settings and parameters with a URL, of the object, its targets, its models and its checks. */
function urlsIn(node: unknown, depth: number): readonly string[] {
  if (!isObject(node) || depth > MAX_DEPTH) return [];
  const { customHost, settings, parameters, config, targets, models, checks } = node;
  const values = [customHost, ...valuesOf(settings), ...valuesOf(parameters)];
  const below = [config, ...listOf(targets), ...listOf(models), ...listOf(checks)];
  return [
    ...values.filter((value): value is string => typeof value === 'string' && URL_START.test(value)),
    ...below.flatMap((child) => urlsIn(child, depth + 1)),
  ];
}

const valuesOf = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : []);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
