/** The output of an invocation job as rows of OpenAI's output file. */
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { idOfUri, outputMissing, outputRows, parseObject } from '../../clouds/objects/index.ts';
import { type Procedure, ProviderRefusal } from '../../contract.ts';
import { outputCall } from '../../engine/index.ts';
import { codeOf, fromRecord, objectUrl, openS3, reachesS3, S3 } from '../files/index.ts';
import { outputOf, statusOf, toBatch } from './batch-job.ts';
import { readJob } from './batches.ts';

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
    const place = parseObject(idOfUri(uri, S3, call), { call, rules: S3, param: 'batch_id' });
    const answer = await openS3(tools, { method: 'GET', url: objectUrl(call, place) }).catch((error: unknown) => {
      const isMissing = error instanceof ProviderRefusal && codeOf(error) === 'NoSuchKey';
      throw isMissing ? outputMissing(call, status) : error;
    });
    const [model, name] = [textAt(job, 'modelId') ?? '', textAt(job, 'jobArn')?.split('/').at(-1) ?? ''];
    const read = outputCall(call, { batch: name, endedAt: textAt(job, 'endTime') });
    const content = outputRows(answer.content, {
      ...{ call, tools },
      read: (line) => fromRecord(line, read, model),
      idOf: (row) => `batch_req_${name}_${row}`,
    });
    return { kind: 'content', contentType: 'application/octet-stream', content };
  },
};
