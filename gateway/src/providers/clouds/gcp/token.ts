/** Access tokens of a service account and of the machine. */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { cancelAfter } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import type { ProviderServices, SideAnswer, SideRequest } from '../../contract.ts';
import { unavailable } from '../unavailable.ts';
import { parseJsonWith } from './parse-json.ts';
import type { ServiceAccount } from './service-account.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const METADATA_URL = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const ASSERTION_SECONDS = 3600;
/** Longest use of a service account's token, and the margin before the expiry of any token. */
const MAX_AGE_MS = 50 * 60_000;
const EXPIRY_MARGIN_MS = 60_000;
const MIN_AGE_MS = 1000;
/** A token request is shared by all waiting calls, so it has its own timeout. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** A token for a service account. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export async function serviceAccountToken(account: ServiceAccount, services: ProviderServices): Promise<Secret> {
  const { clientEmail, privateKey, projectId, keyId } = account;
  if (clientEmail === undefined || privateKey === undefined) {
    throw unavailable('The service account has no client_email or no private_key');
  }
  // The key is part of the cache key: a copy of a file with another key must not share its token.
  const identity = JSON.stringify([projectId, keyId, clientEmail, privateKey.reveal()]);
  return services.cached(`gcp:account:${sha256(identity)}`, async () => {
    const assertion = signAssertion({ clientEmail, privateKey, keyId }, services.now());
    const answer = await request(services, {
      method: 'POST',
      url: TOKEN_URL,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
    });
    const { value, ttlMs } = readToken(answer, 'The token service');
    return { value, ttlMs: Math.min(ttlMs, MAX_AGE_MS) };
  });
}

/** A token of the machine's own identity. Throws AppError `CREDENTIAL_UNAVAILABLE`. */
export function machineToken(services: ProviderServices): Promise<Secret> {
  return services.cached('gcp:machine', async () => {
    const headers = { 'metadata-flavor': 'Google' };
    return readToken(
      await request(services, { method: 'GET', url: METADATA_URL, headers, metadata: true }),
      'The metadata server',
    );
  });
}

interface Signer {
  readonly clientEmail: string;
  readonly privateKey: Secret;
  readonly keyId: string | undefined;
}

/** A signed assertion of the account (RFC 7523). */
function signAssertion({ clientEmail, privateKey, keyId }: Signer, nowMs: number): string {
  const issued = Math.floor(nowMs / 1000);
  const claims = {
    iss: clientEmail,
    sub: clientEmail,
    aud: TOKEN_URL,
    scope: SCOPE,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  };
  const signed = `${base64url({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${base64url(claims)}`;
  const key = rsaKey(privateKey);
  if (key === undefined) throw unavailable('The private_key of the service account is no usable RSA key');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}

/** Keys may come from clients, and signing is synchronous: a larger key would block the event loop for seconds. */
const MAX_KEY_BITS = 4096;

function rsaKey(pem: Secret): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.reveal());
    const bits = key.asymmetricKeyType === 'rsa' ? key.asymmetricKeyDetails?.modulusLength : undefined;
    return bits !== undefined && bits <= MAX_KEY_BITS ? key : undefined;
  } catch {
    return undefined; // the error of OpenSSL may quote the text and is not logged
  }
}

async function request(services: ProviderServices, side: SideRequest): Promise<SideAnswer> {
  try {
    const signal = cancelAfter(REQUEST_TIMEOUT_MS);
    return await services.fetch({ account: true, ...side, maxBytes: MAX_ANSWER_BYTES }, { signal });
  } catch (thrown) {
    throw unavailable(`${new URL(side.url).host} could not be asked for a token`, thrown);
  }
}

// RFC 6749, sections 5.1 and 5.2. Only the error codes of the RFC are repeated: a description may quote the request.
const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().catch(0) });
const tokenError = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

function readToken({ status, body }: SideAnswer, who: string): { readonly value: Secret; readonly ttlMs: number } {
  const text = body.toString('utf8');
  const answer = status === 200 ? parseJsonWith(tokenAnswer, text) : undefined;
  if (answer === undefined) {
    const word = parseJsonWith(tokenError, text)?.error;
    throw unavailable(`${who} answered with status ${status}${word === undefined ? '' : `: ${word}`}`);
  }
  const ttlMs = Math.max(answer.expires_in * 1000 - EXPIRY_MARGIN_MS, MIN_AGE_MS);
  return { value: new Secret(answer.access_token), ttlMs };
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
