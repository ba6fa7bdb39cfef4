/** The identity provider: OpenID Connect with the authorization code and PKCE (RFC 7636), by openid-client. */
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { isReachable, type SignInSettings } from './settings.ts';

/** The provider gives no answer that can be used: nobody can sign in. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** The provider, or a check of its answer, says no. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /** The browser came back with an error of the provider, such as `access_denied`. */
  readonly byProvider: boolean;

  constructor(message: string, byProvider: boolean) {
    super(message);
    this.byProvider = byProvider;
  }
}

/** What has to be the same when the browser comes back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignedIn {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; undefined: the provider gives none. */
  readonly email: string | undefined;
  readonly isVerified: boolean;
}

export interface Provider {
  newChecks(): Promise<Checks>;
  /** Where the browser is led. Throws ProviderAway. */
  authorizationUrl(checks: Checks): Promise<string>;
  /** Who came back with these parameters. Throws ProviderAway and SignInRefused. */
  exchange(parameters: URLSearchParams, checks: Checks): Promise<SignedIn>;
}

export const CALLBACK_PATH = '/v1/auth/callback';
const TIMEOUT_SECONDS = 10;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Endpoints and keys may change. */
const METADATA_MS = 3_600_000;

type Library = typeof import('openid-client');

/** Asks nothing yet. */
export function createProvider(settings: SignInSettings, now: () => number): Provider {
  const redirectUri = new URL(CALLBACK_PATH, settings.publicUrl).href;
  let known: { readonly config: Promise<Configuration>; readonly atMs: number } | undefined;
  const configured = async (library: Library): Promise<Configuration> => {
    if (known === undefined || now() - known.atMs > METADATA_MS) {
      known = { config: discover(library, settings), atMs: now() };
    }
    const asked = known;
    try {
      return await asked.config;
    } catch (error) {
      if (known === asked) known = undefined;
      throw error;
    }
  };
  return {
    newChecks: async () => {
      const { randomState, randomNonce, randomPKCECodeVerifier } = await import('openid-client');
      return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    },
    authorizationUrl: async ({ state, nonce, verifier }) => {
      const library = await import('openid-client'); // only where people sign in
      try {
        const config = await configured(library);
        return library.buildAuthorizationUrl(config, {
          ...{ redirect_uri: redirectUri, scope: 'openid email profile', state, nonce },
          code_challenge: await library.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).href;
      } catch (error) {
        throw away(error);
      }
    },
    exchange: async (parameters, { state, nonce, verifier }) => {
      const library = await import('openid-client');
      const config = await configured(library).catch((error: unknown) => {
        throw away(error);
      });
      const url = new URL(`${redirectUri}?${parameters}`);
      try {
        const tokens = await library.authorizationCodeGrant(config, url, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new SignInRefused('The identity provider gave no ID token', false);
        const { iss, sub, email, email_verified } = claims;
        const address = typeof email === 'string' && email.length <= 254 ? email.toLowerCase() : undefined;
        return { issuer: iss, subject: sub, email: address, isVerified: email_verified === true };
      } catch (error) {
        throw toFailure(library, error);
      }
    },
  };
}

async function discover(library: Library, { issuer, clientId, clientSecret }: SignInSettings): Promise<Configuration> {
  const execute = [library.enableNonRepudiationChecks]; // the signature of the ID token is checked, too
  if (issuer.protocol === 'http:') execute.push(library.allowInsecureRequests);
  return library.discovery(issuer, clientId, undefined, clientAuth(library, clientSecret), {
    ...{ execute, timeout: TIMEOUT_SECONDS, [library.customFetch]: guardedFetch },
  });
}

/** Where a provider takes both, in the body: some do not decode what RFC 6749, section 2.3.1 encodes for the header. */
function clientAuth(library: Library, secret: string): ClientAuth {
  const [inBody, inHeader] = [library.ClientSecretPost(secret), library.ClientSecretBasic(secret)];
  return (server, client, body, headers) => {
    const takesBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    (takesBody ? inBody : inHeader)(server, client, body, headers);
  };
}

/** No redirects, no host that resources may not name, and no answer without an end. */
const guardedFetch: CustomFetch = async (text, { signal, body, headers, method }) => {
  const url = new URL(text);
  if (!isReachable(url)) throw new ProviderAway('The identity provider names a URL that is neither https nor inside');
  const response = await fetch(url, {
    ...{ method, headers, redirect: 'manual' as const },
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: body as RequestInit['body'] & {} }), // of the same types
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new ProviderAway('The answer of the identity provider is too large');
    chunks.push(chunk);
  }
  const { status, headers: answered } = response;
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status, headers: answered });
};

const away = (error: unknown): ProviderAway =>
  error instanceof ProviderAway ? error : new ProviderAway('The identity provider cannot be reached', { cause: error });

/** Codes of errors that are about the answer of this browser, and not about the provider. */
const OF_THE_ANSWER: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

function toFailure(library: Library, error: unknown): Error {
  if (error instanceof SignInRefused) return error;
  if (error instanceof library.AuthorizationResponseError) {
    const said = /^[a-z_]{1,64}$/.test(error.error) ? `: ${error.error}` : '';
    return new SignInRefused(`The identity provider refused${said}`, true);
  }
  if (error instanceof library.ResponseBodyError) {
    if (error.error !== 'invalid_grant') return away(error); // the client is not known there, or its secret is another one
    return new SignInRefused('The code has been used, or has ended; begin again', false);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!OF_THE_ANSWER.has(code)) return away(error);
  return new SignInRefused('The answer of the identity provider is not the one to this sign-in; begin again', false);
}
