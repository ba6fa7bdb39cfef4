import type { KindName } from '@gatehouse/crds/kinds';

/** Kinds whose content is dropped after it was read, and fetched object by object where it is needed again. */
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
