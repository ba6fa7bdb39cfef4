/** The token service of AWS, as far as its answers and addresses go. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { HttpAnswer } from '../../guarded-http/index.ts';
import type { FetchProblem } from '../../translate/index.ts';
import { statusProblem } from '../answers.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Credentials in an answer of the token service, which is XML. */
export function readRole(answer: Result<HttpAnswer, FetchProblem>): Result<AwsCredentials, FetchProblem> {
  if (!answer.ok) return answer;
  const { status, text } = answer.value;
  if (statusProblem(status) !== undefined) return err(status === 400 ? 'Denied' : (statusProblem(status) ?? 'Failed'));
  const accessKeyId = elementText(text, 'AccessKeyId');
  const secretAccessKey = elementText(text, 'SecretAccessKey');
  const sessionToken = elementText(text, 'SessionToken');
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return err('Malformed');
  return ok({ accessKeyId, secretAccessKey, sessionToken });
}

/** The elements read here hold plain text without entities, and each name occurs once. */
const elementText = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<>&\\s]{1,8192})</${name}>`).exec(xml)?.[1];

/** The base URL of a service, which depends on the partition of the region. */
export const awsEndpoint = (service: string, region: string): string =>
  `https://${service}.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}/`;
