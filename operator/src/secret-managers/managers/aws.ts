/** AWS Secrets Manager. */
import { err, ok, type Result } from '@gatehouse/crds';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpAnswer, HttpCall } from '../../guarded-http/index.ts';
import { Sha256 } from '../../signing/index.ts';
import type { FetchProblem, ManagedValue, SecretFetch } from '../../translate/index.ts';
import { callForObject, readObject } from '../answers.ts';
import { type AwsCredentials, awsEndpoint, readRole } from '../clouds/index.ts';
import type { FetchContext, FetchSecret } from '../contract.ts';

type Aws = NonNullable<SecretFetch['spec']['aws']>;

interface Session extends FetchContext {
  readonly aws: Aws;
  readonly reach: SecretFetch['reach'];
}

/** Appears in the account's audit trail as the last part of the assumed role's ARN. */
const SESSION_NAME = 'gatehouse-operator';

export const fetchFromAws: FetchSecret = async ({ spec, credentials, reach }, context) => {
  const { aws, path } = spec;
  if (aws === undefined) return err('Malformed');
  const session: Session = { ...context, aws, reach };
  const base = await baseCredentials(credentials, session);
  if (!base.ok) return base;
  const used = aws.roleArn === undefined ? base : await assumeRole(base.value, session);
  if (!used.ok) return used;
  const call = await signed(used.value, session, {
    service: 'secretsmanager',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: path }),
  });
  const answer = await callForObject(context.http, call, { signal: context.signal, problemOf: awsProblem });
  return answer.ok ? readSecret(answer.value) : answer;
};

function readSecret({
  SecretString: text,
  SecretBinary: binary,
}: Readonly<Record<string, unknown>>): Result<ManagedValue, FetchProblem> {
  if (typeof text === 'string') return ok({ kind: 'text', text });
  if (typeof binary !== 'string') return err('Malformed');
  return ok({ kind: 'text', text: Buffer.from(binary, 'base64').toString('utf8') });
}

async function baseCredentials(
  credentials: Readonly<Record<string, string>>,
  { aws, identity, http, signal }: Session,
): Promise<Result<AwsCredentials, FetchProblem>> {
  if (aws.authMethod === 'OwnIdentity') return identity.awsCredentials({ region: aws.region, http, signal });
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token } = credentials;
  if (accessKeyId === undefined || !/^[\w+/=-]{1,256}$/.test(accessKeyId) || secretAccessKey === undefined)
    return err('BadCredential');
  if (aws_session_token !== undefined && !/^[\x21-\x7e]+$/.test(aws_session_token)) return err('BadCredential');
  return ok({ accessKeyId, secretAccessKey, sessionToken: aws_session_token });
}

async function assumeRole(base: AwsCredentials, session: Session): Promise<Result<AwsCredentials, FetchProblem>> {
  const { roleArn = '', externalId } = session.aws;
  const form = {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: SESSION_NAME,
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  };
  const call = await signed(base, session, {
    service: 'sts',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  return readRole(await session.http(call, session.signal));
}

interface ServiceCall {
  readonly service: 'secretsmanager' | 'sts';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function signed(
  credentials: AwsCredentials,
  { aws, reach, nowMs }: Session,
  { service, headers, body }: ServiceCall,
): Promise<HttpCall> {
  const url = awsEndpoint(service, aws.region);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    region: aws.region,
    service,
    sha256: Sha256,
    applyChecksum: true,
  });
  const request = await signer.sign(
    {
      ...{ method: 'POST', protocol: 'https:', hostname: new URL(url).host, path: '/', query: {}, body },
      headers: { ...headers, host: new URL(url).host },
    },
    { signingDate: new Date(nowMs()) },
  );
  const { host: _, ...rest } = request.headers;
  return { method: 'POST', url, headers: rest, body, reach };
}

/** Errors are told by name, most of them with the status 400. */
const BY_TYPE: ReadonlyMap<string, FetchProblem> = new Map([
  ['ResourceNotFoundException', 'NotFound'],
  ['AccessDeniedException', 'Denied'],
  ['UnrecognizedClientException', 'Denied'],
  ['InvalidSignatureException', 'Denied'],
  ['IncompleteSignatureException', 'Denied'],
  ['ExpiredTokenException', 'Denied'],
  ['MissingAuthenticationTokenException', 'Denied'],
  ['DecryptionFailure', 'Denied'],
  ['ThrottlingException', 'Throttled'],
]);

function awsProblem(answer: HttpAnswer): FetchProblem | undefined {
  const type = readObject(answer)?.['__type'];
  return typeof type === 'string' ? BY_TYPE.get(type.slice(type.lastIndexOf('#') + 1)) : undefined;
}
