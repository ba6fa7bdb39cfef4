/** An OpenID provider on loopback, with the authorization code, PKCE and one client; people sign in as the test says. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { createTokenIssuer } from './token-issuer.ts';

export const CLIENT = { id: 'gatehouse', secret: 'a-secret-of-the-client' } as const;

type AuthMethod = 'client_secret_basic' | 'client_secret_post';

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Claims of the next ID tokens; undefined leaves one out. */
  claims: Record<string, unknown>;
  /** Signs with a key that is not published. */
  isForged: boolean;
  /** How the client says who it is. */
  method: AuthMethod;
  /** Requests of the token endpoint. */
  readonly exchanges: number;
  /** Like the browser of somebody who signs in: gives where it is led to. */
  authorize(location: string): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Settings {
  claims: Record<string, unknown>;
  isForged: boolean;
  method: AuthMethod;
}

interface Grant {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const keys = await createTokenIssuer();
  const others = await createTokenIssuer();
  const grants = new Map<string, Grant>();
  let exchanges = 0;
  const provider: Settings = { claims: { sub: 'ada' }, isForged: false, method: 'client_secret_basic' };
  let port = 0;
  const issuer = (): string => `http://127.0.0.1:${port}`;

  const idToken = ({ nonce }: Grant): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer(), aud: CLIENT.id, nonce, iat: now, exp: now + 300, ...provider.claims };
    return new SignJWT(JSON.parse(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(provider.isForged ? others.privateKey : keys.privateKey);
  };
  const authorize = ({ searchParams: asked }: URL, response: ServerResponse): void => {
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    grants.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '', redirectUri });
    const back = new URL(redirectUri);
    back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '', session_state: 'x' }));
    response.writeHead(302, { location: back.href }).end();
  };
  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    exchanges += 1;
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString('utf8'));
    if (!isClient(provider.method, request, form)) return json(response, 401, { error: 'invalid_client' });
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code); // each is good once
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    return json(response, 200, { access_token: 'none', token_type: 'Bearer', id_token: await idToken(grant) });
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', issuer());
    if (url.pathname === '/.well-known/openid-configuration')
      return json(response, 200, metadataOf(issuer(), provider.method));
    if (url.pathname === '/keys') return json(response, 200, { keys: [keys.jwk] });
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return exchange(request, response);
    return json(response, 404, {});
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const start = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await start();
  return Object.defineProperties(
    {
      ...{ ...provider, issuer: issuer(), exchanges, start, stop, [Symbol.asyncDispose]: stop },
      authorize: async (location: string) => {
        const answer = await fetch(location, { redirect: 'manual' });
        return answer.headers.get('location') ?? '';
      },
    },
    {
      exchanges: { get: () => exchanges },
      claims: { set: (claims) => Object.assign(provider, { claims }) },
      isForged: { set: (isForged) => Object.assign(provider, { isForged }) },
      method: { set: (method) => Object.assign(provider, { method }) },
    },
  );
}

function isClient(method: AuthMethod, { headers }: IncomingMessage, form: URLSearchParams): boolean {
  if (method === 'client_secret_post') {
    return form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret;
  }
  const [, encoded = ''] = (headers.authorization ?? '').split(' ');
  const parts = Buffer.from(encoded, 'base64').toString('utf8').split(':').map(decodeURIComponent);
  return parts[0] === CLIENT.id && parts[1] === CLIENT.secret;
}

const metadataOf = (issuer: string, method: AuthMethod): object => ({
  ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
  ...{ jwks_uri: `${issuer}/keys`, response_types_supported: ['code'], subject_types_supported: ['public'] },
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: [method],
  code_challenge_methods_supported: ['S256'],
});

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
