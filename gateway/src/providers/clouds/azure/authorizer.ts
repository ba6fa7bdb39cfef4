import { AppError } from '../../../errors/index.ts';
import { untilCancelled } from '../../../lib/cancellation.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { Authorizer, AuthorizerContext, Call } from '../../contract.ts';
import { refuseOwnIdentity } from '../own-identity.ts';
import { applicationToken, machineToken, workloadToken } from './token.ts';

export interface AzureAuthOptions {
  /** Sets the API key when the target has no other credential. */
  readonly apiKey: Authorizer;
}

/**
 * `Authorization: Bearer` with the target's own token, or one of its application, of the machine or of the workload; else
 * the API key. Throws AppError `CREDENTIAL_UNAVAILABLE` and `PROVIDER_FIELD_MISSING`.
 */
export function azureAuth({ apiKey }: AzureAuthOptions): Authorizer {
  return {
    summary: `Authorization: Bearer (Entra token), else ${apiKey.summary}`,
    apply(request, call, context) {
      const token = tokenFor(call, context);
      if (token === undefined) return apiKey.apply(request, call, context);
      const put = (value: Secret): void => {
        request.headers['authorization'] = `Bearer ${value.reveal()}`;
      };
      return token instanceof Promise ? untilCancelled(token, context.signal).then(put) : put(token);
    },
  };
}

function tokenFor(call: Call, context: AuthorizerContext): Promise<Secret> | Secret | undefined {
  const { fields } = call;
  const { services } = context;
  const given = fields.secret('azure_ad_token');
  if (given !== undefined) return given;
  const scope = fields.text('azure_entra_scope');
  switch (fields.text('azure_auth_mode')) {
    case 'entra':
      return applicationToken(
        {
          tenantId: fields.text('azure_entra_tenant_id') ?? missing(call, 'azure_entra_tenant_id'),
          clientId: fields.text('azure_entra_client_id') ?? missing(call, 'azure_entra_client_id'),
          clientSecret: fields.secret('azure_entra_client_secret') ?? missing(call, 'azure_entra_client_secret'),
          scope,
        },
        services,
      );
    case 'managed':
      refuseOwnIdentity(call);
      return machineToken({ clientId: fields.text('azure_managed_client_id'), scope }, services);
    case 'workload':
      refuseOwnIdentity(call);
      return workloadToken({ clientId: fields.text('azure_workload_client_id'), scope }, services);
    default:
      return undefined;
  }
}

function missing(call: Call, key: string): never {
  throw new AppError('PROVIDER_FIELD_MISSING', {
    detail: `${call.provider} needs the field ${key} for its authentication mode`,
    param: key,
    provider: call.provider,
  });
}
