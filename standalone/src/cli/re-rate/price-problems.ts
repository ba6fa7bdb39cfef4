/** Which problems of resources may change prices: docs/behaviour/request-logs.md#prices-in-hindsight */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { FileProblem } from '../../resource-folder/index.ts';

/** Prices, and the accounts that have them. */
const PRICED: ReadonlySet<KindName> = new Set<KindName>([
  ...(['ModelPricing', 'Integration', 'IntegrationAccess', 'VirtualKey', 'Provider', 'Workspace'] as const),
]);
/** What requests of a Workspace get where they name nothing. */
const DEFAULTS = /^spec\.defaults\b/;

/** Also a problem of something else because of which an account is left out, and of what cannot be read. */
export function mayChangePrices({ object = '', path = '', consequences = [] }: FileProblem): boolean {
  if (consequences.some(mayChangePrices)) return true;
  const [kind = ''] = object.split('/');
  if (!Object.hasOwn(KINDS, kind)) return true;
  if (kind === 'Workspace' && DEFAULTS.test(path)) return false;
  return PRICED.has(kind as KindName); // it is one of them
}
