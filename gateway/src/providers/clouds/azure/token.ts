/** Entra tokens of an application, of the machine and of a workload. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isObject } from '@gatehouse/crds';
import { cancelAfter } from '../../../lib/cancellation.ts';
import { readJson } from '../../../lib/json/index.ts';
import { scalarText } from '../../../lib/scalar-text.ts';
import { Secret } from '../../../lib/secret.ts';
import type { ProviderServices, SideAnswer, SideRequest } from '../../contract.ts';
import { unavailable } from '../unavailable.ts';

const LOGIN_URL = 'https://login.microsoftonline.com';
const DEFAULT_RESOURCE = 'https://cognitiveservices.azure.com/';
const DEFAULT_SCOPE = `${DEFAULT_RESOURCE}.default`;
const METADATA_URL = 'http://169.254.169.254/metadata/identity/oauth2/token';
const METADATA_VERSION = '2018-02-01';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Longest use of a token, and the margin before its expiry. */
const MAX_AGE_MS = 15 * 60_000;
const EXPIRY_MARGIN_MS = 60_000;
const MIN_AGE_MS = 1000;
/** A token request is shared by all waiting calls, so it has its own timeout. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** An application with its own secret. */
export interface Application {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string | undefined;
}

/** A token by client credentials (RFC 6749, section 4.4). Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function applicationToken(app: Application, services: ProviderServices): Promise<Secret> {
  const { tenantId, clientId, clientSecret, scope = DEFAULT_SCOPE } = app;
  return services.cached(cacheKey('entra', tenantId, clientId, clientSecret.reveal(), scope), async () => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret.reveal(), scope };
    return readToken(await ask(services, formRequest(loginUrl(LOGIN_URL, tenantId), form)));
  });
}

/** A token of the machine's own identity. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function machineToken(
  { clientId, scope }: { readonly clientId: string | undefined; readonly scope: string | undefined },
  services: ProviderServices,
): Promise<Secret> {
  const { env } = services;
  const endpoint = env('AZURE_IDENTITY_ENDPOINT') ?? env('IDENTITY_ENDPOINT') ?? METADATA_URL;
  const header = env('AZURE_IDENTITY_HEADER') ?? env('IDENTITY_HEADER');
  const query = new URLSearchParams({
    'api-version': env('AZURE_MANAGED_VERSION') ?? METADATA_VERSION,
    resource: scope?.replace(/\/?\.default$/, '') ?? DEFAULT_RESOURCE,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
  const url = `${endpoint}?${query}`;
  const headers = header === undefined ? { metadata: 'true' } : { 'x-identity-header': header };
  return services.cached(cacheKey('managed', url), async () =>
    readToken(await ask(services, { method: 'GET', url, headers, metadata: true })),
  );
}

/** A token for the pod's federated workload identity. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function workloadToken(
  { clientId, scope = DEFAULT_SCOPE }: { readonly clientId: string | undefined; readonly scope: string | undefined },
  services: ProviderServices,
): Promise<Secret> {
  const tenant = needed(services, 'AZURE_TENANT_ID');
  const client = clientId ?? needed(services, 'AZURE_CLIENT_ID');
  const assertion = needed(services, 'AZURE_FEDERATED_TOKEN_FILE');
  const url = loginUrl(services.env('AZURE_AUTHORITY_HOST') ?? LOGIN_URL, tenant);
  return services.cached(cacheKey('workload', url, client, scope), async () => {
    const form = {
      grant_type: 'client_credentials',
      client_id: client,
      scope,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await federatedToken(assertion),
    };
    return readToken(await ask(services, formRequest(url, form)));
  });
}

const loginUrl = (authority: string, tenant: string): string =>
  `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;

const formRequest = (url: string, form: Record<string, string>): SideRequest => ({
  method: 'POST',
  url,
  account: true,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(form).toString(),
});

function needed(services: ProviderServices, name: string): string {
  const value = services.env(name);
  if (value === undefined || value === '') throw unavailable(`The environment of the gateway has no ${name}`);
  return value;
}

/** The environment reader may have replaced the path by the file's content. */
async function federatedToken(pathOrToken: string): Promise<string> {
  if (!pathOrToken.includes('/')) return pathOrToken;
  try {
    return (await readFile(pathOrToken, 'utf8')).trim();
  } catch (thrown) {
    throw unavailable('AZURE_FEDERATED_TOKEN_FILE cannot be read', thrown);
  }
}

async function ask(services: ProviderServices, request: SideRequest): Promise<SideAnswer & { readonly who: string }> {
  const who = URL.parse(request.url)?.host ?? 'The token service';
  try {
    const signal = cancelAfter(REQUEST_TIMEOUT_MS);
    return { ...(await services.fetch({ ...request, maxBytes: MAX_ANSWER_BYTES }, { signal })), who };
  } catch (thrown) {
    throw unavailable(`${who} could not be asked for a token`, thrown);
  }
}

function readToken({ status, body, who }: SideAnswer & { readonly who: string }): { value: Secret; ttlMs: number } {
  const answer = parseObject(body.toString('utf8'));
  const token = answer['access_token'];
  if (status !== 200 || typeof token !== 'string' || token === '') {
    throw unavailable(`${who} answered with status ${status}${reasonOf(answer)}`);
  }
  // The metadata service sends numbers as text.
  const lifetimeMs = Number(scalarText(answer['expires_in'])) * 1000 - EXPIRY_MARGIN_MS;
  return { value: new Secret(token), ttlMs: Math.min(MAX_AGE_MS, Math.max(lifetimeMs || 0, MIN_AGE_MS)) };
}

/** Only the error code and Entra's number are repeated: a description may quote the request. */
function reasonOf(answer: Readonly<Record<string, unknown>>): string {
  const { error, error_codes: codes } = answer;
  const word = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? `: ${error}` : '';
  const number: unknown = Array.isArray(codes) ? codes[0] : undefined;
  return typeof number === 'number' ? `${word} (AADSTS${number})` : word;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Everything the token depends on, with secrets hashed. */
const cacheKey = (kind: string, ...parts: readonly string[]): string =>
  `azure:${kind}:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
