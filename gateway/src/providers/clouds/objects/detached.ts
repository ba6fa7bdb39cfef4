/** Requests that begin and end an upload: they are made whatever the client does meanwhile. */
import { cancelAfter } from '../../../lib/cancellation.ts';
import { type Authorizer, type Call, type ProcedureTools, ProviderRefusal, type WholeAnswer } from '../../contract.ts';
import { authorizedFetch } from '../aws/index.ts';

/** Units: ms. */
const TIMEOUT_MS = 15_000;
const MAX_TEXT_BYTES = 64 * 1024;

export interface DetachedRequest {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects with ProviderRefusal, or with the AppError because of which there is no answer. */
export async function askDetached(
  { auth, call, tools }: { readonly auth: Authorizer; readonly call: Call; readonly tools: ProcedureTools },
  request: DetachedRequest,
): Promise<WholeAnswer> {
  const side = { ...request, maxBytes: MAX_TEXT_BYTES };
  const context = { services: tools.services, signal: cancelAfter(TIMEOUT_MS) };
  const { status, headers, body: bytes } = await authorizedFetch(auth, side, call, context);
  const answer = { status, headers, bytes };
  if (status >= 200 && status <= 299) return answer;
  throw new ProviderRefusal(answer);
}
