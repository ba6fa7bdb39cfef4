/** Requests that come back through a custom host are refused, so that the gateway's own ports are not reachable; docs/behaviour/hosts.md. */
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

/** The `Via` header for a custom host: names gateways only, other proxies before it are left out. */
export const viaOf = (request: ClientRequest, gateway: string): string =>
  toVia([...gatewaysOf(request.header(VIA_HEADER)), gateway]);
