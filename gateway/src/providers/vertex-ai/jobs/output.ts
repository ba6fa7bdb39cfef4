/** The output of a batch prediction job as rows of OpenAI's output file. */
import { AppError } from '../../../errors/index.ts';
import { LineTooLong, linesOf } from '../../../lib/lines.ts';
import { outputRow } from '../../../wire/batch-rows/index.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { objectId, outputMissing, parseObject } from '../../clouds/objects/index.ts';
import {
  type Call,
  type JsonObject,
  type OpenedAnswer,
  type Procedure,
  type ProcedureTools,
  ProviderRefusal,
} from '../../contract.ts';
import { parsedLine } from '../../engine/index.ts';
import { contentRequest, fromInstance, GCS, modelOfJob, type NamedModel } from '../files/index.ts';
import { BATCHES, outputFolder, outputNames, statusOf } from './batch-job.ts';
import { lastOf, readJob } from './job.ts';

/** Rows hold their input and their output. Units: bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export const getBatchOutput: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const job = await readJob(call, tools, BATCHES);
    const folder = outputFolder(job);
    const errors = objectAt(BATCHES.read(job, call), 'errors');
    if (folder === undefined && objectsAt(errors, 'data').length > 0) return { kind: 'json', value: errors ?? {} };
    if (folder === undefined) throw outputMissing(call, statusOf(job));
    const { content } = await openOutput({ job, folder }, call, tools);
    const model = modelOfJob(textAt(job, 'model') ?? '');
    return {
      kind: 'content',
      contentType: 'application/octet-stream',
      content: rowsOf(content, { call, tools, model, job: lastOf(textAt(job, 'name')) ?? '' }),
    };
  },
};

interface Output {
  readonly job: JsonObject;
  readonly folder: string;
}

async function openOutput({ job, folder }: Output, call: Call, tools: ProcedureTools): Promise<OpenedAnswer> {
  const [name, other] = outputNames(job);
  const open = (file: string): Promise<OpenedAnswer> => {
    const place = parseObject(objectIdOf(`${folder}/${file}`, call), { call, rules: GCS, param: 'batch_id' });
    return tools.open(contentRequest(call, place));
  };
  try {
    return await open(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return await open(other).catch((second: unknown) => {
      throw isMissing(second) ? outputMissing(call, statusOf(job)) : second;
    });
  }
}

const isMissing = (error: unknown): boolean => error instanceof ProviderRefusal && error.answer.status === 404;

/** As the service names it: what looks encoded in it is a part of the name. */
function objectIdOf(uri: string, { provider }: Call): string {
  const [, bucket = '', key = ''] = /^gs:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  if (key !== '') return objectId(GCS, { bucket, key });
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider });
}

interface RowsOf {
  readonly call: Call;
  readonly tools: ProcedureTools;
  readonly model: NamedModel;
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
      const read = fromInstance(parsedLine(line, tools.json), call, model);
      if (!read.ok) throw invalid(read.error);
      const { customId, id = String(row), outcome } = read.value;
      yield outputRow({ id: `batch-${job}-${id}`, customId }, outcome);
    }
  } catch (error) {
    if (error instanceof LineTooLong) throw invalid(`it has more than ${MAX_LINE_BYTES} bytes`);
    throw error;
  }
}
