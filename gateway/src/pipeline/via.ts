/** Requests that come back by way of a host that somebody named; DESIGN section 9: our own ports are never reachable. */
import { VIA_HEADER } from '@gatehouse/crds/hosts';
import { AppError } from '../errors/index.ts';
import type { ClientRequest } from './exchange.ts';

/** Throws CUSTOM_HOST_REFUSED when a gateway with the same id has sent the request. */
export function refuseLoop(request: ClientRequest, gatewayId: string): void {
  const via = request.header(VIA_HEADER);
  if (via === undefined || !via.split(',').some((id) => id.trim() === gatewayId)) return;
  throw new AppError('CUSTOM_HOST_REFUSED', {
    param: VIA_HEADER,
    detail: 'The request comes back to the gateway that sent it: a custom host leads to Gatehouse itself',
  });
}

/** The way of a request for its next host. */
export function viaHeaders(request: ClientRequest, gatewayId: string): Readonly<Record<string, string>> {
  const via = request.header(VIA_HEADER);
  return { [VIA_HEADER]: via === undefined ? gatewayId : `${via}, ${gatewayId}` };
}
