/** What a row of the request log costs at the prices of today: docs/behaviour/request-logs.md#prices-in-hindsight */
import type { LogDecision, LogRow } from '@gatehouse/crds/logs';
import { costOf, type PriceBook, type PricedAccount } from '../../cost/index.ts';
import { fromLogUsage } from '../rows/usage.ts';

/** The prices of today. */
export interface RatePrices {
  readonly prices: PriceBook;
  /** As a workspace uses it; undefined: it is not known. */
  accountOf(workspace: string, slug: string): PricedAccount | undefined;
}

/** `left`: the row does not say what was used, or says more than may be true, or its account is not known. */
export type Rating =
  | { readonly kind: 'left'; readonly why: 'usage' | 'account' }
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly row: LogRow };

/** Of a row that a sidecar has sent, in nano-dollars ($200): the sums of an hour stay within 63 bits at 10,000 rows in a second. */
export const MAX_SIDECAR_COST_NANO = 200_000_000_000;
const SIDECAR = 'sidecar/';

const NO_USAGE: Rating = { kind: 'left', why: 'usage' };
const NO_ACCOUNT: Rating = { kind: 'left', why: 'account' };
const SAME: Rating = { kind: 'same' };

/** `nowMs`: Unix time in ms. */
export function rateRow(row: LogRow, { prices, accountOf }: RatePrices, nowMs: number): Rating {
  const { provider, account, model, answered_model: answered, cost_nano: before, decision, workspace } = row;
  if (provider === null || before === null || decision.usage === undefined) return NO_USAGE;
  const payer = account === null ? { provider } : accountOf(workspace, account);
  // An account of the same name may have come to be of another provider.
  if (payer?.provider !== provider) return NO_ACCOUNT;
  const { usage, images } = fromLogUsage(row, decision.usage);
  const names = { asked: model ?? '', answered: answered ?? undefined };
  const price = prices.priceOf(payer, names, usage);
  const { nanoDollars, unpriced } = costOf(price, usage, { status: ANSWERED, ...(images && { images }) });
  if (nanoDollars > MAX_SIDECAR_COST_NANO && row.api_key?.startsWith(SIDECAR) === true) return NO_USAGE;
  if (nanoDollars === before && unpriced === row.is_unpriced) return SAME;
  const at = new Date(nowMs).toISOString();
  const first = decision.re_rated ?? {
    ...{ first_cost_nano: before, first_unpriced: row.is_unpriced },
    ...(decision.price === undefined ? {} : { first_price: decision.price }),
  };
  const { price: _, ...others } = decision;
  const changed: LogDecision = {
    ...others,
    ...(price === undefined ? {} : { price: price.source }),
    re_rated: { ...first, at },
  };
  return { kind: 'changed', row: { ...row, cost_nano: nanoDollars, is_unpriced: unpriced, decision: changed } };
}

/** Only what a provider answered has usage, whatever its client got. */
const ANSWERED = 200;
