/** Requests to S3 with the credential of the account. Source: Amazon S3 API reference. */
import { awsBaseUrl, awsSigV4, usesApiKey } from '../../clouds/aws/index.ts';
import {
  askDetached,
  type DetachedRequest,
  type ObjectPlace,
  objectPath,
  type StoreRules,
  textOf,
} from '../../clouds/objects/index.ts';
import {
  type Authorizer,
  type Call,
  type OpenedAnswer,
  type ProcedureRequest,
  type ProcedureTools,
  ProviderRefusal,
  type WholeAnswer,
} from '../../contract.ts';
import { customHost } from '../hosts.ts';

export const S3: StoreRules = {
  scheme: 's3',
  bucketField: 'aws_s3_bucket',
  bucketHeader: 'x-gw-aws-s3-bucket',
  prefixes: ['x-gw-aws-', 'x-gw-cloud-c-'],
  bucketName: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
};

const s3Auth: Authorizer = awsSigV4({ service: 's3' });

/** S3 knows no API keys of Bedrock. */
export const reachesS3 = (call: Call): boolean => !usesApiKey(call);

/** Of the region of the account, the bucket in the path. */
export const objectUrl = (call: Call, place: ObjectPlace): string =>
  (customHost(call) ?? awsBaseUrl('s3', call)) + objectPath(place);

type StoreRequest = Omit<ProcedureRequest, 'auth'>;

/** As those of the tools. What S3 refuses is said in JSON. */
export async function askS3(tools: ProcedureTools, request: StoreRequest): Promise<WholeAnswer> {
  try {
    return await tools.ask({ ...request, auth: s3Auth });
  } catch (error) {
    throw readable(error);
  }
}

export async function openS3(tools: ProcedureTools, request: StoreRequest): Promise<OpenedAnswer> {
  try {
    return await tools.open({ ...request, auth: s3Auth });
  } catch (error) {
    throw readable(error);
  }
}

/** A request that goes on when the call is given up. Rejects as `askS3`. */
export async function askS3Detached(call: Call, tools: ProcedureTools, request: DetachedRequest): Promise<WholeAnswer> {
  try {
    return await askDetached({ auth: s3Auth, call, tools }, request);
  } catch (error) {
    throw readable(error);
  }
}

export const tagIn = (xml: string, name: string): string | undefined => {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : fromXml(xml.slice(start + name.length + 2, end));
};

/** The code of what S3 has refused; an answer to HEAD has none. */
export const codeOf = ({ answer }: ProviderRefusal): string | undefined => typeOf(answer.bytes);

function typeOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return text.startsWith('{') ? /"__type":"(\w+)"/.exec(text)?.[1] : undefined;
}

/** Errors are XML, and there is no body for HEAD: `{__type, message}` as other services of the vendor have it. */
export function readable(error: unknown): unknown {
  if (!(error instanceof ProviderRefusal)) return error;
  const { status, headers, bytes } = error.answer;
  const text = bytes.toString();
  const code = tagIn(text, 'Code');
  if (code === undefined && bytes.length > 0) return error;
  const message = tagIn(text, 'Message') ?? `The bucket has answered ${status}`;
  const retry = textOf(headers['retry-after']);
  const said = { __type: code?.replace(/\W/g, '') ?? 'S3Error', message };
  return new ProviderRefusal({
    status,
    headers: { 'content-type': 'application/json', ...(retry === undefined ? {} : { 'retry-after': retry }) },
    bytes: Buffer.from(JSON.stringify(said)),
  });
}

const fromXml = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
