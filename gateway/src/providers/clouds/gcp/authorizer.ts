import { AppError } from '../../../errors/index.ts';
import { untilCancelled } from '../../../lib/cancellation.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { Authorizer, AuthorizerContext, Call } from '../../contract.ts';
import { refuseOwnIdentity } from '../own-identity.ts';
import { unavailable } from '../unavailable.ts';
import { serviceAccountOf } from './service-account.ts';
import { machineToken, serviceAccountToken } from './token.ts';

/**
 * `Authorization: Bearer` with a token of the service account, of the machine, or the API key as a token. The machine's
 * identity is used only when the gateway's own environment allows it with `GCP_AUTH_MODE=workload`: a target's
 * settings are not enough. Throws AppError `CREDENTIAL_UNAVAILABLE`, and `PROVIDER_FIELD_MISSING` without any credential.
 */
export function gcpOAuth(): Authorizer {
  return {
    summary: 'Authorization: Bearer (service account, workload identity, or {api_key} as OAuth token)',
    apply(request, call, context) {
      const forwarded = request.headers['authorization'] !== undefined;
      // On typed calls a forwarded header replaces this one anyway.
      if (forwarded && call.endpoint !== 'proxy') return;
      const put = (token: Secret): void => {
        request.headers['authorization'] = `Bearer ${token.reveal()}`;
      };
      const token = tokenFor(call, context, forwarded || context.customHost === true);
      if (token instanceof Promise) return untilCancelled(token, context.signal).then(put);
      if (token !== undefined) put(token);
    },
  };
}

/** `optional`: the request may be sent without a token. */
function tokenFor(call: Call, context: AuthorizerContext, optional: boolean): Promise<Secret> | Secret | undefined {
  const { provider, fields } = call;
  const { services } = context;
  const account = serviceAccountOf(fields);
  if (account !== undefined) return serviceAccountToken(account, services);
  const wantsMachine = fields.text('vertex_auth_type') === 'workload';
  if (wantsMachine && services.env('GCP_AUTH_MODE') === 'workload') {
    refuseOwnIdentity(call);
    return machineToken(services);
  }
  const key = fields.secret('api_key');
  if (key !== undefined || optional) return key;
  if (wantsMachine) throw unavailable('This gateway does not lend its own identity (GCP_AUTH_MODE is not workload)');
  throw new AppError('PROVIDER_FIELD_MISSING', {
    detail: `${provider} needs vertex_service_account_json, vertex_auth_type or an API key`,
    param: 'vertex_service_account_json',
    provider,
  });
}
