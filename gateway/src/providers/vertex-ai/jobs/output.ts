/** The output of a batch prediction job as rows of OpenAI's output file. */
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { idOfUri, outputMissing, outputRows, parseObject } from '../../clouds/objects/index.ts';
import {
  type Call,
  type JsonObject,
  type OpenedAnswer,
  type Procedure,
  type ProcedureTools,
  ProviderRefusal,
} from '../../contract.ts';
import { outputCall } from '../../engine/index.ts';
import { contentRequest, fromInstance, GCS, modelOfJob } from '../files/index.ts';
import { BATCHES, outputFolder, outputNames, statusOf } from './batch-job.ts';
import { lastOf, readJob } from './job.ts';

export const getBatchOutput: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const job = await readJob(call, tools, BATCHES);
    const folder = outputFolder(job);
    const errors = objectAt(BATCHES.read(job, call), 'errors');
    if (folder === undefined && objectsAt(errors, 'data').length > 0) return { kind: 'json', value: errors ?? {} };
    if (folder === undefined) throw outputMissing(call, statusOf(job));
    const { content } = await openOutput({ job, folder }, call, tools);
    const [model, name] = [modelOfJob(textAt(job, 'model') ?? ''), lastOf(textAt(job, 'name')) ?? ''];
    const read = outputCall(call, { batch: name, endedAt: textAt(job, 'endTime') });
    const rows = outputRows(content, {
      ...{ call, tools },
      read: (line) => fromInstance(line, read, model),
      idOf: (row) => `batch-${name}-${row}`,
    });
    return { kind: 'content', contentType: 'application/octet-stream', content: rows };
  },
};

interface Output {
  readonly job: JsonObject;
  readonly folder: string;
}

async function openOutput({ job, folder }: Output, call: Call, tools: ProcedureTools): Promise<OpenedAnswer> {
  const [name, other] = outputNames(job);
  const open = (file: string): Promise<OpenedAnswer> => {
    const place = parseObject(idOfUri(`${folder}/${file}`, GCS, call), { call, rules: GCS, param: 'batch_id' });
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
