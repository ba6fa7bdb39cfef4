/** Tokens of Microsoft Entra by the client credentials grant. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { Http, HttpAnswer, HttpCall } from '../../guarded-http/index.ts';
import type { FetchProblem } from '../../translate/index.ts';
import { callForObject } from '../answers.ts';

export interface AzureCloud {
  readonly authority: string;
  readonly resource: string;
}

interface TokenRequest {
  readonly cloud: AzureCloud;
  readonly tenantId: string;
  readonly clientId: string;
  readonly proof:
    | { readonly client_secret: string }
    | { readonly client_assertion: string; readonly client_assertion_type: string };
  readonly reach: HttpCall['reach'];
}

export interface Calling {
  readonly http: Http;
  readonly signal: AbortSignal;
}

export async function azureToken(
  { cloud, tenantId, clientId, proof, reach }: TokenRequest,
  { http, signal }: Calling,
): Promise<Result<string, FetchProblem>> {
  const form = { grant_type: 'client_credentials', client_id: clientId, scope: `${cloud.resource}/.default`, ...proof };
  const answer = await callForObject(
    http,
    {
      method: 'POST',
      url: `${cloud.authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      reach,
    },
    { signal, problemOf: tokenProblem },
  );
  return answer.ok ? readToken(answer.value) : answer;
}

/** A wrong tenant or application is a 400. */
const tokenProblem = ({ status }: HttpAnswer): FetchProblem | undefined => (status === 400 ? 'Denied' : undefined);

/** The `access_token` of an answer, as a header can carry it. */
export function readToken({ access_token: token }: Readonly<Record<string, unknown>>): Result<string, FetchProblem> {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? ok(token) : err('Malformed');
}
