/**
 * The operator's own identities, found in the environment that the webhooks and agents of the clouds set in its pod:
 * docs/behaviour/secret-references.md.
 */
import { readFile } from 'node:fs/promises';
import { err, ok, type Result } from '@gatehouse/crds';
import type { HttpCall } from '../guarded-http/index.ts';
import type { FetchProblem } from '../translate/index.ts';
import { callForObject } from './answers.ts';
import {
  type AwsCredentials,
  type AzureCloud,
  azureToken,
  type Calling,
  readAgent,
  readRole,
  readToken,
  SESSION_NAME,
  type TokenService,
  tokenServiceOf,
} from './clouds/index.ts';

export interface OwnIdentity {
  /** Where roles of AWS are assumed: see tokenServiceOf. */
  awsTokenService(region: string, reach: HttpCall['reach']): TokenService;
  awsCredentials(call: Calling & { readonly region: string }): Promise<Result<AwsCredentials, FetchProblem>>;
  azureToken(cloud: AzureCloud, call: Calling): Promise<Result<string, FetchProblem>>;
  gcpToken(call: Calling): Promise<Result<string, FetchProblem>>;
  /** A token of the ServiceAccount for Vault; undefined: there is none. */
  vaultToken(): Promise<string | undefined>;
}

export interface OwnIdentityOptions {
  /** The environment of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly vaultTokenFile?: string | undefined;
  readonly readText?: (file: string) => Promise<string>;
}

const AZURE_METADATA = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=';
const GCP_METADATA = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';
/** Where agents that hand out credentials of AWS listen. */
const AWS_AGENTS: ReadonlySet<string> = new Set(['169.254.170.23', '[fd00:ec2::23]', '169.254.170.2']);

/** Reads the environment with each call: tokens in files are replaced while the process runs. */
export function createOwnIdentity(options: OwnIdentityOptions): OwnIdentity {
  const { variables, vaultTokenFile = '', readText = (file: string) => readFile(file, 'utf8') } = options;
  const textOf = async (file: string): Promise<string | undefined> => {
    const text = await readText(file).catch(() => '');
    return text.trim() === '' ? undefined : text.trim();
  };
  const context: Context = { variables, textOf };
  return {
    awsTokenService: (region, reach) => tokenServiceOf(region, reach, variables),
    awsCredentials: (call) => awsCredentials(call, context),
    azureToken: (cloud, call) => ownAzureToken(cloud, call, context),
    gcpToken: async ({ http, signal }) => {
      const headers = { 'metadata-flavor': 'Google' };
      const answer = await callForObject(
        http,
        { method: 'GET', url: GCP_METADATA, headers, reach: 'identity' },
        { signal, problemOf: () => 'NoIdentity' },
      );
      if (answer.ok) return readToken(answer.value);
      return answer.error === 'Unreachable' ? err('NoIdentity') : answer;
    },
    vaultToken: () => textOf(vaultTokenFile),
  };
}

interface Context {
  readonly variables: OwnIdentityOptions['variables'];
  /** Undefined for a file that is absent or empty. */
  readonly textOf: (file: string) => Promise<string | undefined>;
}

async function awsCredentials(
  call: Calling & { readonly region: string },
  context: Context,
): Promise<Result<AwsCredentials, FetchProblem>> {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: roleArn,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: agent,
  } = context.variables;
  if (accessKeyId && secretAccessKey)
    return ok({ accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined });
  if (tokenFile && roleArn) return withWebIdentity({ tokenFile, roleArn }, call, context);
  return agent ? fromAgent(agent, call, context) : err('NoIdentity');
}

interface WebIdentity {
  readonly tokenFile: string;
  readonly roleArn: string;
}

/** IAM roles for service accounts. */
async function withWebIdentity(
  { tokenFile, roleArn }: WebIdentity,
  { region, http, signal }: Calling & { readonly region: string },
  { variables, textOf }: Context,
): Promise<Result<AwsCredentials, FetchProblem>> {
  const token = await textOf(tokenFile);
  if (token === undefined) return err('NoIdentity');
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: SESSION_NAME,
    WebIdentityToken: token,
  };
  const { url, reach } = tokenServiceOf(region, 'cluster', variables);
  const answer = await http(
    {
      ...{ method: 'POST', url, reach },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    },
    signal,
  );
  return readRole(answer, roleArn);
}

/** EKS Pod Identity. */
async function fromAgent(
  url: string,
  { http, signal }: Calling,
  { variables, textOf }: Context,
): Promise<Result<AwsCredentials, FetchProblem>> {
  const host = URL.parse(url)?.hostname;
  const file = variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const authorization = file ? await textOf(file) : undefined;
  if (host === undefined || !AWS_AGENTS.has(host) || authorization === undefined) return err('NoIdentity');
  const answer = await callForObject(
    http,
    { method: 'GET', url, headers: { authorization }, reach: 'identity' },
    { signal },
  );
  return answer.ok ? readAgent(answer.value) : answer;
}

/** Workload identity where its webhook has set it up, else the managed identity of the machine. */
async function ownAzureToken(
  cloud: AzureCloud,
  { http, signal }: Calling,
  { variables, textOf }: Context,
): Promise<Result<string, FetchProblem>> {
  const { AZURE_TENANT_ID: tenantId, AZURE_CLIENT_ID: clientId, AZURE_FEDERATED_TOKEN_FILE: file } = variables;
  if (file && tenantId && clientId) {
    const assertion = await textOf(file);
    if (assertion === undefined) return err('NoIdentity');
    const proof = {
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    return azureToken({ cloud, tenantId, clientId, proof, reach: 'cluster' }, { http, signal });
  }
  const client = clientId ? `&client_id=${encodeURIComponent(clientId)}` : '';
  const url = `${AZURE_METADATA}${encodeURIComponent(cloud.resource)}${client}`;
  const answer = await callForObject(
    http,
    { method: 'GET', url, headers: { metadata: 'true' }, reach: 'identity' },
    { signal, problemOf: () => 'NoIdentity' },
  );
  if (answer.ok) return readToken(answer.value);
  return answer.error === 'Unreachable' ? err('NoIdentity') : answer;
}
