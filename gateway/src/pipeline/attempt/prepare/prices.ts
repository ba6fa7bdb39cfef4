import { pricedModelOf } from '@gatehouse/crds/providers';
import { type AccountPrices, namedPrice } from '../../../cost/index.ts';
import type { Call } from '../../../providers/contract.ts';
import type { ResolvedTarget } from './target.ts';

export interface PricedTarget {
  readonly resolved: Pick<ResolvedTarget, 'managed'>;
  readonly call: Pick<Call, 'provider' | 'fields'>;
}

/** Those of the account; a call says something of its price only with a credential of its own. */
export const pricesOf = ({ resolved: { managed }, call }: PricedTarget): AccountPrices | undefined =>
  managed === undefined ? namedPrice(pricedModelOf(call.provider, (key) => call.fields.text(key))) : managed.prices;
