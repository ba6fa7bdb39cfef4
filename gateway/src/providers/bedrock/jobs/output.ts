/** The output of an invocation job as rows of OpenAI's output file. */
import { AppError } from '../../../errors/index.ts';
import { LineTooLong, linesOf } from '../../../lib/lines.ts';
import { outputRow } from '../../../wire/batch-rows/index.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { objectId, outputMissing, parseObject } from '../../clouds/objects/index.ts';
import { type Call, type Procedure, type ProcedureTools, ProviderRefusal } from '../../contract.ts';
import { parsedLine } from '../../engine/index.ts';
import { codeOf, fromRecord, objectUrl, openS3, reachesS3, S3 } from '../files/index.ts';
import { outputOf, statusOf, toBatch } from './batch-job.ts';
import { readJob } from './batches.ts';

/** Rows hold their input and their output. Units: bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export const getBatchOutput: Procedure = {
  offer: 'mapped',
  supports: reachesS3,
  async run(call, tools) {
    const job = await readJob(call, tools);
    const batch = toBatch(job);
    const uri = outputOf(job);
    const status = statusOf(job);
    if (batch === undefined || uri === undefined) throw outputMissing(call, status);
    if (status === 'failed' && objectsAt(objectAt(batch, 'errors'), 'data').length > 0) {
      return { kind: 'json', value: objectAt(batch, 'errors') ?? {} };
    }
    const place = parseObject(objectIdOf(uri, call), { call, rules: S3, param: 'batch_id' });
    const answer = await openS3(tools, { method: 'GET', url: objectUrl(call, place) }).catch((error: unknown) => {
      const isMissing = error instanceof ProviderRefusal && codeOf(error) === 'NoSuchKey';
      throw isMissing ? outputMissing(call, status) : error;
    });
    const content = rowsOf(answer.content, {
      call,
      tools,
      model: textAt(job, 'modelId') ?? '',
      job: textAt(job, 'jobArn') ?? '',
    });
    return { kind: 'content', contentType: 'application/octet-stream', content };
  },
};

/** As the service names it: what looks encoded in it is a part of the name. */
const objectIdOf = (uri: string, { provider }: Call): string => {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  if (key !== '') return objectId(S3, { bucket, key });
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider });
};

interface RowsOf {
  readonly call: Call;
  readonly tools: ProcedureTools;
  readonly model: string;
  readonly job: string;
}

async function* rowsOf(content: AsyncIterable<Buffer>, { call, tools, model, job }: RowsOf): AsyncGenerator<Buffer> {
  const { provider } = call;
  let row = 0;
  const invalid = (problem: string): AppError =>
    new AppError('UPSTREAM_INVALID_RESPONSE', {
      provider,
      detail: `Invalid response received from ${provider}: line ${row} of the output: ${problem}`,
    });
  try {
    for await (const line of linesOf(content, MAX_LINE_BYTES)) {
      if (line.length === 0) continue;
      row += 1;
      const read = fromRecord(parsedLine(line, tools.json), call, model);
      if (!read.ok) throw invalid(read.error);
      const { customId, outcome } = read.value;
      yield outputRow({ id: `batch_req_${job.split('/').at(-1)}_${row}`, customId }, outcome);
    }
  } catch (error) {
    if (error instanceof LineTooLong) throw invalid(`it has more than ${MAX_LINE_BYTES} bytes`);
    throw error;
  }
}
