import { AppError } from '../../../errors/index.ts';
import { untilCancelled } from '../../../lib/cancellation.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { Authorizer, AuthorizerContext, Call, OutgoingRequest } from '../../contract.ts';
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
      const { fields } = call;
      const token = fields.secret('azure_ad_token') ?? tokenOfIdentity(call, context, fields.text('azure_entra_scope'));
      if (token === undefined) return apiKey.apply(request, call, context);
      return token instanceof Promise ? putToken(request, token, context) : put(request, token);
    },
  };
}

/**
 * The same identity, for storages: neither an API key nor a ready token of the account is valid there. Throws AppError
 * `CREDENTIAL_UNAVAILABLE` and `PROVIDER_FIELD_MISSING`. Source: Azure Storage, "Authorize with Microsoft Entra ID".
 */
export const storageAuth: Authorizer = {
  summary: 'Authorization: Bearer (Entra token for storages)',
  apply(request, call, context) {
    const token = tokenOfIdentity(call, context, STORAGE_SCOPE);
    if (token !== undefined) return putToken(request, token, context);
    throw new AppError('PROVIDER_FIELD_MISSING', {
      detail: `${call.provider} needs the field azure_auth_mode (entra, managed or workload) to read a storage, which takes no API key`,
      param: 'azure_auth_mode',
      provider: call.provider,
    });
  },
};

/** Of all clouds of Azure. */
const STORAGE_SCOPE = 'https://storage.azure.com/.default';

function put(request: OutgoingRequest, token: Secret): void {
  request.headers['authorization'] = `Bearer ${token.reveal()}`;
}

const putToken = (request: OutgoingRequest, token: Promise<Secret>, { signal }: AuthorizerContext): Promise<void> =>
  untilCancelled(token, signal).then((value) => put(request, value));

/** Undefined: the account names none. `scope`: that of models where it is undefined. */
function tokenOfIdentity(
  call: Call,
  { services }: AuthorizerContext,
  scope: string | undefined,
): Promise<Secret> | undefined {
  const { fields } = call;
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
