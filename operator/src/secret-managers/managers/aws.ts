/** AWS Secrets Manager. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { HttpAnswer } from '../../guarded-http/index.ts';
import type { FetchProblem, ManagedValue, SecretFetch } from '../../translate/index.ts';
import { callForObject, readObject } from '../answers.ts';
import { type AwsCall, type AwsCredentials, assumeRole, awsEndpoint, signedCall } from '../clouds/index.ts';
import type { FetchContext, FetchSecret } from '../contract.ts';

type Aws = NonNullable<SecretFetch['spec']['aws']>;

interface Session extends FetchContext {
  readonly aws: Aws;
}

export const fetchFromAws: FetchSecret = async ({ spec, credentials, reach }, context) => {
  const { aws, path } = spec;
  if (aws === undefined) return err('Malformed');
  const { region, roleArn, externalId } = aws;
  const session: Session = { ...context, aws };
  const base = await baseCredentials(credentials, session);
  if (!base.ok) return base;
  const nowMs = context.nowMs();
  const service = context.identity.awsTokenService(region, reach);
  const used =
    roleArn === undefined
      ? base
      : await assumeRole(base.value, { ...service, roleArn, externalId }, { ...context, nowMs });
  if (!used.ok) return used;
  const read: AwsCall = {
    ...{ service: 'secretsmanager', region, reach, url: awsEndpoint('secretsmanager', region) },
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: path }),
  };
  const call = await signedCall(used.value, read, nowMs);
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
