/** The two calls of the AWS Security Token Service that return credentials. */
import type { AppError } from '../../../errors/index.ts';
import { cancelAfter } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import type { OutgoingRequest, ProviderServices } from '../../contract.ts';
import { unavailable } from '../unavailable.ts';
import { type AwsCredentials, parseTime } from './credentials.ts';
import { endpointDomain } from './region.ts';
import { signRequest } from './sign.ts';

export interface StsContext {
  readonly services: ProviderServices;
  /** Region of the token service. */
  readonly region: string;
}

export interface RoleRequest {
  readonly roleArn: string;
  readonly externalId?: string | undefined;
}

/** Appears in the account's audit trail as the last part of the assumed role's ARN. */
const SESSION_NAME = 'gatehouse';
/** Answers are about 2 KiB; errors are shorter. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A token request is shared by all waiting calls, so it has its own timeout. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Credentials of a role, assumed with other credentials. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function assumeRole(base: AwsCredentials, role: RoleRequest, context: StsContext): Promise<AwsCredentials> {
  const form = {
    Action: 'AssumeRole',
    RoleArn: role.roleArn,
    RoleSessionName: SESSION_NAME,
    ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
  };
  return callSts(form, role.roleArn, { context, base });
}

export interface WebIdentity {
  readonly roleArn: string;
  readonly token: string;
  readonly sessionName: string | undefined;
}

/** Credentials of a role, assumed with a projected service account token. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function assumeRoleWithWebIdentity(identity: WebIdentity, context: StsContext): Promise<AwsCredentials> {
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: identity.roleArn,
    RoleSessionName: identity.sessionName ?? SESSION_NAME,
    WebIdentityToken: identity.token,
  };
  return callSts(form, identity.roleArn, { context });
}

interface StsCall {
  readonly context: StsContext;
  /** Absent: the call is not signed. */
  readonly base?: AwsCredentials;
}

async function callSts(form: Record<string, string>, roleArn: string, call: StsCall): Promise<AwsCredentials> {
  const { services, region } = call.context;
  const request: OutgoingRequest = {
    method: 'POST',
    origin:
      services.env('AWS_ENDPOINT_URL_STS')?.replace(/\/+$/, '') ??
      `https://sts.${region}.${endpointDomain(services.env)}`,
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ ...form, Version: '2011-06-15' }).toString()),
  };
  if (call.base !== undefined) {
    await signRequest(request, { credentials: call.base, region, service: 'sts', nowMs: services.now() });
  }
  const answer = await services
    .fetch(
      {
        method: 'POST',
        url: request.origin + request.path,
        headers: request.headers,
        body: request.body?.toString('utf8') ?? '',
        account: true,
        maxBytes: MAX_ANSWER_BYTES,
      },
      { signal: cancelAfter(REQUEST_TIMEOUT_MS) },
    )
    .catch((cause: unknown) => {
      throw unavailable('The AWS token service could not be reached', cause);
    });
  const xml = answer.body.toString('utf8');
  if (answer.status !== 200) throw refused(answer.status, xml);
  return { ...readCredentials(xml), roleArn };
}

function readCredentials(xml: string): AwsCredentials {
  const accessKeyId = elementText(xml, 'AccessKeyId');
  const secretAccessKey = elementText(xml, 'SecretAccessKey');
  const sessionToken = elementText(xml, 'SessionToken');
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) {
    throw unavailable('The AWS token service answered without credentials');
  }
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: new Secret(sessionToken),
    expiresAtMs: parseTime(elementText(xml, 'Expiration')),
  };
}

/** The service's error code is safe to show; its message may name accounts and roles. */
function refused(status: number, xml: string): AppError {
  const code = elementText(xml, 'Code') ?? 'no code';
  return unavailable(`The AWS token service refused the role: ${status} ${code}`);
}

/** The elements read here hold plain text without entities, and each name occurs once. */
function elementText(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start < 0) return undefined;
  const from = start + name.length + 2;
  const end = xml.indexOf(`</${name}>`, from);
  return end < 0 ? undefined : xml.slice(from, end).trim();
}
