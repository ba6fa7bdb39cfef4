/** Answers of secret managers. */
import { err, isObject, ok, parseJson, type Result } from '@gatehouse/crds';
import type { Http, HttpAnswer, HttpCall } from '../guarded-http/index.ts';
import type { FetchProblem } from '../translate/index.ts';

/** Why a status other than 2xx is no answer. */
export function statusProblem(status: number): FetchProblem | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 403) return 'Denied';
  if (status === 404) return 'NotFound';
  return status === 429 ? 'Throttled' : 'Failed';
}

/** The JSON object of an answer. */
export function readObject({ text }: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Calls, and reads the JSON object of a good answer. `refusal`: of other statuses. */
export async function callForObject(
  http: Http,
  call: HttpCall,
  {
    signal,
    problemOf: refusal,
  }: {
    readonly signal: AbortSignal;
    readonly problemOf?: (answer: HttpAnswer) => FetchProblem | undefined;
  },
): Promise<Result<Readonly<Record<string, unknown>>, FetchProblem>> {
  const answer = await http(call, signal);
  if (!answer.ok) return answer;
  const problem = statusProblem(answer.value.status);
  if (problem !== undefined) return err(refusal?.(answer.value) ?? problem);
  const value = readObject(answer.value);
  return value === undefined ? err('Malformed') : ok(value);
}
