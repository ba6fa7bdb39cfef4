/** HashiCorp Vault: key-value engine, versions 1 and 2. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { HttpAnswer } from '../../guarded-http/index.ts';
import type { FetchProblem, SecretFetch } from '../../translate/index.ts';
import { callForObject } from '../answers.ts';
import type { FetchContext, FetchSecret } from '../contract.ts';

type Vault = NonNullable<SecretFetch['spec']['vault']>;

interface Session extends FetchContext {
  readonly vault: Vault;
  readonly reach: SecretFetch['reach'];
}

export const fetchFromVault: FetchSecret = async ({ spec, credentials, reach }, context) => {
  const { vault, path } = spec;
  if (vault === undefined) return err('Malformed');
  const session: Session = { ...context, vault, reach };
  const token = await tokenOf(credentials, session);
  if (!token.ok) return token;
  const answer = await callForObject(
    context.http,
    toCall(session, { path: secretPath(vault, path), token: token.value }),
    {
      signal: context.signal,
    },
  );
  if (vault.authMethod !== 'Token') await revoke(token.value, session);
  if (!answer.ok) return answer;
  const data = answer.value['data'];
  const members = vault.engine === 'V1' ? data : isObject(data) ? data['data'] : undefined;
  return isObject(members) ? ok({ kind: 'members', members }) : err('Malformed');
};

const secretPath = ({ engine, mount }: Vault, path: string): string =>
  [mount, ...(engine === 'V2' ? ['data'] : []), path].join('/');

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

interface VaultCall {
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
}

function toCall({ vault, reach }: Session, { path, token, body }: VaultCall) {
  return {
    method: body === undefined ? ('GET' as const) : ('POST' as const),
    url: `${vault.address.replace(/\/+$/, '')}/v1/${encoded(path)}`,
    headers: {
      'x-vault-request': 'true',
      ...(vault.namespace === undefined ? {} : { 'x-vault-namespace': vault.namespace }),
      ...(token === undefined ? {} : { 'x-vault-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    reach,
    caCertificate: vault.caCertificate,
  };
}

async function tokenOf(
  credentials: Readonly<Record<string, string>>,
  session: Session,
): Promise<Result<string, FetchProblem>> {
  const { authMethod, authMount, role } = session.vault;
  if (authMethod === 'Token') return sendable(credentials['token']);
  if (authMethod === 'AppRole') {
    const { role_id, secret_id } = credentials;
    return logIn(authMount ?? 'approle', { role_id, secret_id }, session);
  }
  const jwt = await session.identity.vaultToken();
  return jwt === undefined ? err('NoIdentity') : logIn(authMount ?? 'kubernetes', { role, jwt }, session);
}

/** What a header can carry: a token with anything else would be a fault of the client, not an answer of the server. */
const sendable = (token: unknown): Result<string, FetchProblem> =>
  typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? ok(token) : err('BadCredential');

async function logIn(mount: string, body: object, session: Session): Promise<Result<string, FetchProblem>> {
  const call = toCall(session, { path: `auth/${mount}/login`, body });
  const answer = await callForObject(session.http, call, { signal: session.signal, problemOf: loginProblem });
  if (!answer.ok) return answer;
  const { auth } = answer.value;
  const token = isObject(auth) ? auth['client_token'] : undefined;
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? ok(token) : err('Malformed');
}

/** Wrong credentials of a login are a 400, and an absent auth method a 404. */
const loginProblem = ({ status }: HttpAnswer): FetchProblem | undefined =>
  status === 400 || status === 404 ? 'Denied' : undefined;

/** The token has served its purpose; if it cannot be revoked, it ends by itself. */
async function revoke(token: string, session: Session): Promise<void> {
  await session.http(toCall(session, { path: 'auth/token/revoke-self', token, body: {} }), session.signal);
}
