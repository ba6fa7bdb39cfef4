/** Requests that come back by way of a host that somebody named: our own ports are never reachable. */
import { gatewaysOf, toVia, VIA_HEADER } from '@gatehouse/crds/hosts';
import { AppError } from '../errors/index.ts';
import type { ClientRequest } from './exchange.ts';

/** Throws CUSTOM_HOST_REFUSED when a gateway of the same name has sent the request. */
export function refuseLoop(request: ClientRequest, gateway: string): void {
  const via = request.header(VIA_HEADER);
  if (via === undefined || !gatewaysOf(via).includes(gateway)) return;
  throw new AppError('CUSTOM_HOST_REFUSED', {
    param: VIA_HEADER,
    detail: 'The request comes back to the gateway that sent it: a custom host leads to Gatehouse itself',
  });
}

/** The way of a request for its next host: the gateways alone, for what else it came through is not that host's business. */
export const viaHeaders = (request: ClientRequest, gateway: string): Readonly<Record<string, string>> => ({
  [VIA_HEADER]: toVia([...gatewaysOf(request.header(VIA_HEADER)), gateway]),
});
