/** The token service of AWS, and calls that are signed for AWS. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Http, HttpAnswer, HttpCall } from '../../guarded-http/index.ts';
import { Sha256 } from '../../signing/index.ts';
import type { FetchProblem } from '../../translate/index.ts';
import { statusProblem } from '../answers.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  /** Unix time in ms; absent: it is not known. */
  readonly expiresAtMs?: number | undefined;
  /** The role that they belong to, if known. */
  readonly roleArn?: string | undefined;
}

/** Appears in the account's audit trail as the last part of the assumed role's ARN. */
export const SESSION_NAME = 'gatehouse-operator';

export interface AwsCall {
  readonly service: 'secretsmanager' | 'sts';
  readonly region: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly reach: HttpCall['reach'];
}

/** Signed at the given time, Unix time in ms. */
export async function signedCall(
  credentials: AwsCredentials,
  { service, region, url, headers, body, reach }: AwsCall,
  nowMs: number,
): Promise<HttpCall> {
  const { protocol, host, pathname } = new URL(url);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...{ region, service, sha256: Sha256, applyChecksum: true },
  });
  const request = await signer.sign(
    {
      ...{ method: 'POST', protocol, hostname: host, path: pathname, query: {}, body },
      headers: { ...headers, host },
    },
    { signingDate: new Date(nowMs) },
  );
  const { host: _, ...rest } = request.headers;
  return { method: 'POST', url, headers: rest, body, reach };
}

export interface RoleCall extends Pick<AwsCall, 'region' | 'url' | 'reach'> {
  readonly roleArn: string;
  readonly externalId: string | undefined;
}

interface RoleContext {
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Unix time in ms. */
  readonly nowMs: number;
}

/** Credentials of a role, assumed with other credentials. */
export async function assumeRole(
  base: AwsCredentials,
  { roleArn, externalId, ...place }: RoleCall,
  { http, signal, nowMs }: RoleContext,
): Promise<Result<AwsCredentials, FetchProblem>> {
  const form = {
    ...{ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: SESSION_NAME },
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  return readRole(
    await http(await signedCall(base, { ...place, service: 'sts', headers, body }, nowMs), signal),
    roleArn,
  );
}

/** Credentials in an answer of the token service, which is XML. */
export function readRole(
  answer: Result<HttpAnswer, FetchProblem>,
  roleArn: string,
): Result<AwsCredentials, FetchProblem> {
  if (!answer.ok) return answer;
  const { status, text } = answer.value;
  if (statusProblem(status) !== undefined) return err(status === 400 ? 'Denied' : (statusProblem(status) ?? 'Failed'));
  const accessKeyId = elementText(text, 'AccessKeyId');
  const secretAccessKey = elementText(text, 'SecretAccessKey');
  const sessionToken = elementText(text, 'SessionToken');
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return err('Malformed');
  return ok({ accessKeyId, secretAccessKey, sessionToken, roleArn, ...expiry(elementText(text, 'Expiration')) });
}

/** Credentials in the answer of an agent, which is JSON. */
export function readAgent(answer: unknown): Result<AwsCredentials, FetchProblem> {
  if (!isObject(answer)) return err('Malformed');
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: token, Expiration: end } = answer;
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') return err('Malformed');
  const sessionToken = typeof token === 'string' ? token : undefined;
  return ok({ accessKeyId, secretAccessKey, sessionToken, ...expiry(typeof end === 'string' ? end : undefined) });
}

function expiry(text: string | undefined): Pick<AwsCredentials, 'expiresAtMs'> {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? {} : { expiresAtMs: time };
}

/** The elements read here hold plain text without entities, and each name occurs once. */
const elementText = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<>&\\s]{1,8192})</${name}>`).exec(xml)?.[1];

export type TokenService = Pick<AwsCall, 'region' | 'url' | 'reach'>;

/**
 * Where a process of this environment finds the token service: that of AWS, with the given reach, or an address of the
 * deployment's own, which may be anywhere. It was checked at the start.
 */
export function tokenServiceOf(
  region: string,
  reach: AwsCall['reach'],
  { AWS_ENDPOINT_URL_STS: own }: Readonly<Record<string, string | undefined>>,
): TokenService {
  if (!own) return { region, url: awsEndpoint('sts', region), reach };
  return { region, url: `${own.replace(/\/+$/, '')}/`, reach: 'machine' };
}

/** The base URL of a service, which depends on the partition of the region. */
export const awsEndpoint = (service: string, region: string): string =>
  `https://${service}.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}/`;
