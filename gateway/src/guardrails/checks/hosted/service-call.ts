/** Calls of the guardrail service. */
import { compileScrubber } from '../../../lib/scrub.ts';
import type { CheckAnswer, CheckCredential, CheckSubject, CheckTools } from '../../contract.ts';
import { CheckFault, callService, faultOf } from '../../outbound/index.ts';

export interface CallParameters {
  readonly timeout: number;
  readonly forwardHeaders?: readonly string[] | undefined;
}

export interface CallContext {
  readonly subject: CheckSubject;
  readonly tools: CheckTools;
}

const PREFIX = '/v1/execute-guardrails';

/** Posts to a path of the service. Rejects with CheckFault, also where a field of the credential is missing. */
export function compileServiceCall({ timeout, forwardHeaders }: CallParameters, credential: CheckCredential) {
  const key = credential.get('apiKey');
  const base = credential.get('baseURL')?.reveal().replace(/\/+$/, '');
  const scrubber = key === undefined ? undefined : compileScrubber([key.reveal()]);
  return async (path: string, body: object, context: CallContext): Promise<unknown> => {
    if (key === undefined || base === undefined) {
      throw new CheckFault('CredentialError', 'The check needs a credential with apiKey and baseURL');
    }
    const headers = { 'x-gw-api-key': key.reveal() };
    const call = { url: base + PREFIX + path, headers, body, timeoutMs: timeout, forwardHeaders, scrubber };
    return (await callService(call, context)).json;
  };
}

/** There is nothing to look at. */
export const noContent = (): CheckAnswer => ({
  verdict: true,
  error: { name: 'EmptyText', message: 'there is no text to check' },
});

export const malformed = (): CheckFault => new CheckFault('ParseError', 'The service gave an answer of another form');

/** The answer of a check whose call failed. */
export const failedCall = (error: unknown): CheckAnswer => ({ verdict: false, error: faultOf(error) });
