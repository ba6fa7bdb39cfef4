/** What is left of a config for a request that names its own provider; docs/behaviour/routing.md#a-default-config-and-a-named-provider. */
import { managedSlugOf, type RoutingNode } from '@gatehouse/crds/config';

/** Members that choose an account, or belong to the one that is chosen. */
const OF_ACCOUNTS: ReadonlySet<string> = new Set<keyof RoutingNode>([
  ...(['name', 'strategy', 'targets', 'weight', 'promptId'] as const),
  ...(['provider', 'virtualKey', 'passthrough'] as const),
  ...(['credential', 'apiKey', 'settings', 'customHost', 'deployments'] as const),
]);

/** The root without its strategy, its targets and its account: retry, cache, timeouts, checks and parameters stay. */
export function settingsOf(node: RoutingNode): RoutingNode {
  const kept: RoutingNode = Object.fromEntries(Object.entries(node).filter(([name]) => !OF_ACCOUNTS.has(name)));
  if (node.provider === undefined && managedSlugOf(node) === undefined) return kept;
  const { overrideParams, defaultParams } = kept;
  return {
    ...kept,
    ...(overrideParams === undefined ? {} : { overrideParams: withoutModel(overrideParams) }),
    ...(defaultParams === undefined ? {} : { defaultParams: withoutModel(defaultParams) }),
  };
}

/** A model in the parameters of an account is one of that account. */
const withoutModel = ({ model: _, ...params }: Readonly<Record<string, unknown>>): Record<string, unknown> => params;
