/** Whether the gateway keeps a file or batch itself, or a provider does: docs/behaviour/managed-batches.md. */
import type { RoutingPlan } from '../../routing/index.ts';
import type { Exchange } from '../exchange.ts';

/** The value of `x-gw-provider` that stands for the gateway itself. */
export const OWN = 'gw';
/** Ids that the gateway gives. */
const OWN_ID = /^gw_(?:file|batch)_/;

type Asked = Pick<Exchange, 'operation' | 'request'>;

/** What is known of the provider of a request. */
interface Named {
  readonly plan: Pick<RoutingPlan, 'needsRequestProvider'>;
  readonly requestProvider: object | undefined;
}

/** The request names the gateway itself, or a resource of it. */
export const asksForOwn = ({ operation, request }: Asked): boolean =>
  operation.mayBeOwn === true &&
  (request.header('x-gw-provider')?.trim() === OWN || Object.values(request.route).some((id) => OWN_ID.test(id)));

/** The request names the gateway, or neither a provider nor a config with one. */
export const isOwn = (exchange: Asked, { plan, requestProvider }: Named): boolean =>
  asksForOwn(exchange) || (requestProvider === undefined && plan.needsRequestProvider);
