/** The credential modes of AWS targets. */
import { AppError } from '../../../errors/index.ts';
import type { Authorizer, AuthorizerContext, Call, OutgoingRequest, SideAnswer, SideRequest } from '../../contract.ts';
import { refuseOwnIdentity } from '../own-identity.ts';
import type { AwsCredentials } from './credentials.ts';
import { awsRegion, placeEndpoint } from './region.ts';
import { resolveCredentials } from './resolve.ts';
import { signRequest } from './sign.ts';

export interface SigV4Options {
  /** Name of the service in the signature. */
  readonly service: string | ((call: Call) => string);
}

/**
 * Signs with static keys, or with the credentials of a role or of the machine; `aws_auth_type` `apiKey` sends the API key as
 * a bearer token instead. Throws AppError `PROVIDER_FIELD_MISSING` and `CREDENTIAL_UNAVAILABLE`.
 */
export function awsSigV4(options: SigV4Options): Authorizer {
  return {
    summary: 'AWS Signature Version 4, or Authorization: Bearer {api_key} with aws_auth_type=apiKey',
    signs: true,
    async apply(request, call, context) {
      placeEndpoint(request, call, context.services.env);
      if (usesApiKey(call)) {
        request.headers['authorization'] =
          `Bearer ${call.fields.secret('api_key')?.reveal() ?? missing(call, 'api_key')}`;
        return;
      }
      await signRequest(request, {
        credentials: await credentialsOf(call, context),
        region: awsRegion(call, context.services.env),
        service: typeof options.service === 'string' ? options.service : options.service(call),
        nowMs: context.services.now(),
        unsignedPayload: streamsBody(request, call),
      });
    },
  };
}

/** A side call with the same credential. Any status is returned; throws what the authorizer throws. */
export async function authorizedFetch(
  authorizer: Authorizer,
  side: Omit<SideRequest, 'metadata'>,
  call: Call,
  context: AuthorizerContext,
): Promise<SideAnswer> {
  const url = new URL(side.url);
  const request: OutgoingRequest = {
    method: side.method,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: { ...side.headers },
    body: side.body === undefined ? undefined : Buffer.from(side.body),
  };
  await authorizer.apply(request, call, context);
  const target = { ...side, url: request.origin + request.path, headers: request.headers, account: true } as const;
  return context.services.fetch(target, { signal: context.signal });
}

/** An API key without a key pair selects the mode `apiKey`. */
export function usesApiKey({ fields }: Call): boolean {
  const mode = fields.text('aws_auth_type');
  if (mode !== undefined) return mode === 'apiKey';
  return fields.secret('aws_access_key_id') === undefined && fields.secret('api_key') !== undefined;
}

function credentialsOf(call: Call, context: AuthorizerContext): AwsCredentials | Promise<AwsCredentials> {
  const { fields } = call;
  switch (fields.text('aws_auth_type')) {
    case 'assumedRole': {
      // With a key pair, the account assumes the role with it and not with the gateway's own identity.
      const base = fields.secret('aws_access_key_id') === undefined ? undefined : staticKeys(call);
      if (base === undefined) refuseOwnIdentity(call);
      const roleArn = fields.text('aws_role_arn') ?? missing(call, 'aws_role_arn');
      return resolveCredentials(call, context, { roleArn, externalId: fields.text('aws_external_id'), base });
    }
    case 'serviceRole':
      refuseOwnIdentity(call);
      return resolveCredentials(call, context);
    default:
      return staticKeys(call);
  }
}

const staticKeys = (call: Call): AwsCredentials => ({
  accessKeyId: call.fields.secret('aws_access_key_id')?.reveal() ?? missing(call, 'aws_access_key_id'),
  secretAccessKey: call.fields.secret('aws_secret_access_key') ?? missing(call, 'aws_secret_access_key'),
  sessionToken: call.fields.secret('aws_session_token'),
});

/** Whether the body is streamed and cannot be signed. */
function streamsBody(request: OutgoingRequest, call: Call): boolean {
  if (request.streamed !== undefined) return true;
  if (request.body !== undefined || call.endpoint !== 'proxy') return false;
  return Number(call.header('content-length') ?? 0) > 0 || call.header('transfer-encoding') !== undefined;
}

function missing(call: Call, key: string): never {
  throw new AppError('PROVIDER_FIELD_MISSING', {
    detail: `${call.provider} needs the field ${key}`,
    param: key,
    provider: call.provider,
  });
}
