import { AppError } from '../errors/index.ts';
import type { AuthorizerContext, Call } from '../providers/contract.ts';

/** The identity of the machine or pod is lent to hosts that resources name, never to one a request brought along. */
export function refuseOwnIdentity({ provider }: Call, { untrustedHost }: AuthorizerContext): void {
  if (untrustedHost !== true) return;
  throw new AppError('CREDENTIAL_UNAVAILABLE', {
    detail: 'The identity of the gateway is not sent to a host named in a request; use a credential of your own',
    provider,
  });
}
