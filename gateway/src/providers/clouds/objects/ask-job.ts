import type { Call, JsonObject, ProcedureTools } from '../../contract.ts';
import { jsonOfStep } from '../../engine/index.ts';

export interface JobRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: object;
}

/** What the service says of a job: JSON both ways, empty where it answers with nothing. Throws UPSTREAM_INVALID_RESPONSE. */
export async function askJob(
  call: Call,
  tools: ProcedureTools,
  { method, url, body }: JobRequest,
): Promise<JsonObject> {
  const sent =
    body === undefined
      ? {}
      : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } };
  const answer = await tools.ask({ method, url, ...sent });
  return answer.bytes.length === 0 ? {} : jsonOfStep(answer, call);
}
