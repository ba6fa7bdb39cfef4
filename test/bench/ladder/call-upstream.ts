import { createByteBudget } from '../../../gateway/src/lib/byte-budget.ts';
import type { CancelSignal } from '../../../gateway/src/lib/cancellation.ts';
import type { PipelinePorts } from '../../../gateway/src/pipeline/index.ts';
import { compileReach, type UpstreamResponse } from '../../../gateway/src/upstream/index.ts';

/** Where the rungs send their calls while the provider layer is not part of them. */
export interface LadderUpstream {
  readonly origin: string;
  readonly path: string;
}

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
const HOSTS = compileReach(undefined);
const BUDGET = createByteBudget(Number.MAX_SAFE_INTEGER);

/** Sends the body as it is. */
export const callUpstream = (
  { attempts: { client, limits } }: PipelinePorts,
  { origin, path }: LadderUpstream,
  { body, signal }: { readonly body: Buffer; readonly signal: CancelSignal },
): Promise<UpstreamResponse> =>
  client.send({ method: 'POST', origin, path, headers: HEADERS, body, hostOrigin: HOSTS }, { signal, limits });

/** Reads an answer whole. */
export const collect = ({ attempts }: PipelinePorts, { body }: UpstreamResponse): Promise<Buffer> =>
  body.collect(attempts.maxResponseBytes, BUDGET.open());
