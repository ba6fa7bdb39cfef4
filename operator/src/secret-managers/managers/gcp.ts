/** GCP Secret Manager. */
import { err, isObject, ok, parseJson, type Result } from '@gatehouse/crds';
import { importPKCS8, SignJWT } from 'jose';
import type { HttpAnswer } from '../../guarded-http/index.ts';
import type { FetchProblem, SecretFetch } from '../../translate/index.ts';
import { callForObject } from '../answers.ts';
import { readToken } from '../clouds/index.ts';
import type { FetchContext, FetchSecret } from '../contract.ts';

/** The key itself names a URL for tokens, which anyone may have written: it is not used. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_SECONDS = 600;

export const fetchFromGcp: FetchSecret = async ({ spec, credentials, reach }, context) => {
  const { gcp, path } = spec;
  const { http, identity, signal } = context;
  if (gcp === undefined) return err('Malformed');
  const token =
    gcp.authMethod === 'OwnIdentity'
      ? await identity.gcpToken({ http, signal })
      : await exchangeKey(credentials['service_account_json'] ?? '', reach, context);
  if (!token.ok) return token;
  const secret = `projects/${gcp.project}/secrets/${encodeURIComponent(path)}/versions/${gcp.version}`;
  const answer = await callForObject(
    http,
    {
      method: 'GET',
      url: `https://secretmanager.googleapis.com/v1/${secret}:access`,
      headers: { authorization: `Bearer ${token.value}`, accept: 'application/json' },
      reach,
    },
    { signal },
  );
  if (!answer.ok) return answer;
  const { payload } = answer.value;
  const data = isObject(payload) ? payload['data'] : undefined;
  return typeof data === 'string'
    ? ok({ kind: 'text', text: Buffer.from(data, 'base64').toString('utf8') })
    : err('Malformed');
};

async function exchangeKey(
  json: string,
  reach: SecretFetch['reach'],
  { http, signal, nowMs }: FetchContext,
): Promise<Result<string, FetchProblem>> {
  const assertion = await signAssertion(json, Math.floor(nowMs() / 1_000));
  if (assertion === undefined) return err('BadCredential');
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const answer = await callForObject(
    http,
    {
      method: 'POST',
      url: TOKEN_URL,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      reach,
    },
    { signal, problemOf: tokenProblem },
  );
  return answer.ok ? readToken(answer.value) : answer;
}

/** A refused key is a 400. */
const tokenProblem = ({ status }: HttpAnswer): FetchProblem | undefined => (status === 400 ? 'Denied' : undefined);

/** Undefined for what is no key of a service account. */
async function signAssertion(json: string, nowSeconds: number): Promise<string | undefined> {
  try {
    const key = parseJson(json);
    if (!isObject(key)) return undefined;
    const { client_email: email, private_key: pem, private_key_id: id } = key;
    if (typeof email !== 'string' || typeof pem !== 'string') return undefined;
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(typeof id === 'string' ? { kid: id } : {}) })
      .setIssuer(email)
      .setAudience(TOKEN_URL)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + TOKEN_SECONDS)
      .sign(await importPKCS8(pem, 'RS256'));
  } catch {
    return undefined;
  }
}
