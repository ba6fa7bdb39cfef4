import type { KindName } from '@gatehouse/crds/kinds';

/** Kinds whose content is not kept beyond what translations are going to read: the rest is asked for object by object. */
export const WITHHELD: ReadonlySet<KindName> = new Set<KindName>([
  'GatewayConfig',
  'Guardrail',
  'Integration',
  'IntegrationAccess',
  'Provider',
  'RateLimitPolicy',
  'UsageLimitPolicy',
  'VirtualKey',
]);
