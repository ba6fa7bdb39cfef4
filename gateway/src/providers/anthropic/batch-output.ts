/** The results of a message batch as rows of OpenAI's output file. */
import { AppError } from '../../errors/index.ts';
import { LineTooLong, linesOf } from '../../lib/lines.ts';
import { type BatchEndpoint, fromBatchResult, hasResults } from '../../wire/anthropic/index.ts';
import { MAX_ROW_BYTES, outputRow, outputRowId } from '../../wire/batch-rows/index.ts';
import { textAt } from '../../wire/json/json.ts';
import type { Call, JsonObject, Procedure, ProcedureResult, ProcedureTools } from '../contract.ts';
import { invalidResponse, jsonOfStep, outputCall, parsedLine } from '../engine/index.ts';
import { outputEndpoint } from './batch-endpoint.ts';
import { batchId } from './batch-id.ts';

export const getBatchOutput: Procedure = {
  offer: 'mapped',
  run: (call, tools) => batchResults(batchId(call), call, tools),
};

/** Throws BATCH_OUTPUT_MISSING, OPERATION_UNSUPPORTED, or UPSTREAM_INVALID_RESPONSE. `id`: as a segment of a path. */
export async function batchResults(id: string, call: Call, tools: ProcedureTools): Promise<ProcedureResult> {
  const endpoint = outputEndpoint(call);
  const url = `${tools.baseUrl()}/messages/batches/${id}`;
  const batch = jsonOfStep(await tools.ask({ method: 'GET', url }), call);
  checkResults(batch, call);
  // Below the base URL of the account, whatever host the batch names: the credential goes nowhere else.
  const results = await tools.open({ method: 'GET', url: `${url}/results` });
  const file = textAt(batch, 'id') ?? '';
  const read = outputCall(call, { batch: file, endedAt: textAt(batch, 'ended_at') });
  return {
    ...{ kind: 'content', contentType: 'application/octet-stream', file },
    content: rowsOf(id, results.content, { call: read, tools, endpoint }),
  };
}

function checkResults(batch: JsonObject, call: Call): void {
  if (!hasResults(batch)) {
    const state = textAt(batch, 'processing_status')?.slice(0, 32) ?? 'unknown';
    throw new AppError('BATCH_OUTPUT_MISSING', {
      provider: call.provider,
      detail: `The batch has no results (${state})`,
    });
  }
  const path = URL.parse(textAt(batch, 'results_url') ?? '')?.pathname;
  if (path?.endsWith(`/messages/batches/${textAt(batch, 'id') ?? ''}/results`) === true) return;
  throw invalidResponse(call, 'results_url is not that of the batch');
}

async function* rowsOf(
  batch: string,
  content: AsyncIterable<Buffer>,
  { call, tools, endpoint }: { readonly call: Call; readonly tools: ProcedureTools; readonly endpoint: BatchEndpoint },
): AsyncGenerator<Buffer> {
  let row = 0;
  const invalid = (problem: string): AppError => invalidResponse(call, `line ${row} of the results: ${problem}`);
  try {
    for await (const line of linesOf(content, MAX_ROW_BYTES)) {
      if (line.length === 0) continue;
      row += 1;
      const read = fromBatchResult(parsedLine(line, tools.json), call, endpoint);
      if (!read.ok) throw invalid(read.error);
      const { customId, outcome } = read.value;
      yield outputRow({ id: outputRowId(batch, row), customId }, outcome);
    }
  } catch (error) {
    if (error instanceof LineTooLong) throw invalid(`it has more than ${MAX_ROW_BYTES} bytes`);
    throw error;
  }
}
