import { AppError } from '../../errors/index.ts';
import type { Call } from '../contract.ts';

/**
 * The identity of the machine or pod is used for accounts with a grant of the organisation, never because of settings in a
 * call and never for a host named by a request. Throws AppError `CREDENTIAL_UNAVAILABLE`.
 */
export function refuseOwnIdentity({ provider, ownIdentity }: Call): void {
  if (ownIdentity === true) return;
  throw new AppError('CREDENTIAL_UNAVAILABLE', {
    detail:
      "The cloud identity of the gateway's pod is used only by accounts of the organisation and of workspaces that its " +
      'cloudIdentityGrants name; use a credential of your own',
    provider,
  });
}
