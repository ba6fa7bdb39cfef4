/** Uploads: the lines of a file in the words of the service, in one object of the bucket. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { type RowRules, readLines, readRows } from '../../../wire/batch-rows/index.ts';
import { toFileObject } from '../../../wire/openai/index.ts';
import { bucketOf, checkKey, objectId, objectUri, openForm } from '../../clouds/objects/index.ts';
import type { Call, Procedure, ProcedureTools } from '../../contract.ts';
import { fieldMissing } from '../../engine/index.ts';
import { namedModel } from './named-model.ts';
import { uploadResumable } from './resumable.ts';
import { CHAT, EMBEDDINGS, type RowTarget, toInstance, toTraining } from './rows.ts';
import { GCS } from './store.ts';

const PARAM = 'file';
const NAME_HEADER = 'x-gw-provider-file-name';

export const createFile: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const bucket = bucketOf(call, GCS);
    const named = call.fields.text('filename');
    const place = { bucket, key: named === undefined ? `${randomUUID()}.jsonl` : checkKey(named, NAME_HEADER) };
    const isRaw = call.fields.text('file_purpose') === 'upload';
    const target = isRaw ? undefined : targetOf(call, tools);
    const { purpose, content } = await openForm(call, tools.upload);
    const lines = target === undefined ? content : linesOf(purpose, content, target);
    // A call that names an object of a stored account replaces none.
    const keepsOther = named !== undefined && call.stored === true ? NAME_HEADER : undefined;
    const bytes = await uploadResumable({ place, content: lines, keepsOther }, call, tools);
    const file = toFileObject({
      id: objectId(GCS, place),
      ...{ bytes, purpose, status: 'processed', status_details: '' },
      created_at: Math.floor(call.now() / 1_000),
      filename: objectUri(GCS, place),
    });
    return { kind: 'json', value: file };
  },
};

/** Throws PROVIDER_FIELD_MISSING, PARAMETER_INVALID or MODEL_NOT_ALLOWED. */
function targetOf(call: Call, tools: ProcedureTools): RowTarget {
  const name = call.fields.text('vertex_model_name');
  if (name === undefined) throw fieldMissing(call.provider, 'vertex_model_name');
  tools.checkModel({ model: name });
  const endpoint = call.fields.text('vertex_batch_endpoint') ?? CHAT;
  if (endpoint !== CHAT && endpoint !== EMBEDDINGS) {
    const param = 'x-gw-provider-batch-endpoint';
    throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be ${CHAT} or ${EMBEDDINGS}` });
  }
  return { call, tools, model: namedModel(name, 'x-gw-provider-model', call), param: PARAM, endpoint };
}

function linesOf(purpose: string, content: AsyncIterable<Buffer>, target: RowTarget): AsyncGenerator<Buffer> {
  if (purpose === 'batch') return instancesOf(content, target);
  if (purpose === 'fine-tune') return trainingOf(content, target);
  throw new AppError('PARAMETER_INVALID', {
    ...{ param: 'purpose', provider: target.call.provider },
    detail: 'purpose must be batch or fine-tune for files of this provider',
  });
}

async function* instancesOf(content: AsyncIterable<Buffer>, target: RowTarget): AsyncGenerator<Buffer> {
  for await (const row of readRows(content, rulesOf(target))) yield toLine(toInstance(row, target));
}

async function* trainingOf(content: AsyncIterable<Buffer>, target: RowTarget): AsyncGenerator<Buffer> {
  for await (const line of readLines(content, rulesOf(target))) yield toLine(toTraining(line, target));
}

const rulesOf = ({ tools, param }: RowTarget): RowRules => ({ param, json: tools.json, memory: tools.memory });

const toLine = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
