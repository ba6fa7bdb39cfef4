/** Uploads: the lines of a file in the words of the service, in one object of the bucket. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../errors/index.ts';
import { type RowRules, readLines, readRows } from '../../../wire/batch-rows/index.ts';
import { toFileObject } from '../../../wire/openai/index.ts';
import { bucketOf, checkKey, objectId, objectUri, openForm } from '../../clouds/objects/index.ts';
import type { Call, Procedure, ProcedureTools } from '../../contract.ts';
import { fieldMissing, rowCall } from '../../engine/index.ts';
import { type ModelFacts, modelFromId, resolveModel } from '../model.ts';
import { uploadParts } from './multipart.ts';
import { kindOf, type RowKind, type RowTarget, toRecord } from './rows.ts';
import { objectUrl, reachesS3, S3 } from './store.ts';
import { type TrainingKind, toTraining } from './training.ts';

const PARAM = 'file';
const NAME_HEADER = 'x-gw-provider-file-name';
const MODEL_HEADER = 'x-gw-provider-model';

export const createFile: Procedure = {
  offer: 'mapped',
  supports: reachesS3,
  async run(call, tools) {
    const bucket = bucketOf(call, S3);
    const { key, keepsOther } = keyOf(call);
    const model = await modelOf(call, tools);
    const { purpose, content } = await openForm(call, tools.upload);
    const lines = linesOf(purpose, content, { call, tools, model, param: PARAM });
    const place = { bucket, key };
    const headers = { 'content-type': 'application/jsonl', ...encryptionOf(call) };
    const bytes = await uploadParts({ url: objectUrl(call, place), headers, content: lines, keepsOther }, call, tools);
    const file = toFileObject({
      id: objectId(S3, place),
      ...{ bytes, purpose, status: 'processed', status_details: '' },
      created_at: Math.floor(call.now() / 1_000),
      filename: objectUri(S3, place),
    });
    return { kind: 'json', value: file };
  },
};

/** A call that names an object of a stored account replaces none. */
function keyOf(call: Call): { readonly key: string; readonly keepsOther?: string } {
  const named = call.fields.text('filename');
  if (named !== undefined) {
    return { key: checkKey(named, NAME_HEADER), ...(call.stored === true ? { keepsOther: NAME_HEADER } : {}) };
  }
  const own = call.fields.text('aws_s3_object_key');
  return { key: own === undefined ? `${randomUUID()}.jsonl` : checkKey(own, 'aws_s3_object_key') };
}

/** What the names of models that rows are written for have in them. */
const KNOWN = /llama2|llama3|titan|mistral|anthropic|ai21|cohere|amazon/;

/** Rejects with PROVIDER_FIELD_MISSING, PARAMETER_INVALID or MODEL_NOT_ALLOWED. */
async function modelOf(call: Call, tools: ProcedureTools): Promise<ModelFacts> {
  const name = call.fields.text('provider_model') ?? call.fields.text('aws_bedrock_model');
  if (name === undefined) throw fieldMissing(call.provider, 'aws_bedrock_model');
  tools.checkModel({ model: name });
  const own = rowCall(call, { endpoint: 'chatComplete', params: {}, model: name, without: ['aws_bedrock_model'] });
  const model = await resolveModel(own, { services: tools.services, signal: tools.signal });
  if (model.foundation !== undefined && KNOWN.test(model.foundation)) return model;
  throw new AppError('PARAMETER_INVALID', {
    ...{ param: MODEL_HEADER, provider: call.provider },
    detail: `Invalid model slug: which body ${modelFromId(own).id.slice(0, 200)} takes is not known`,
  });
}

function linesOf(purpose: string, content: AsyncIterable<Buffer>, target: RowTarget): AsyncGenerator<Buffer> {
  if (purpose === 'batch') return recordsOf(content, target);
  if (purpose === 'fine-tune') {
    return trainingOf(content, target, target.call.fields.text('model_type') === 'text' ? 'text' : 'chat');
  }
  throw new AppError('PARAMETER_INVALID', {
    ...{ param: 'purpose', provider: target.call.provider },
    detail: 'purpose must be batch or fine-tune for files of this provider',
  });
}

async function* recordsOf(content: AsyncIterable<Buffer>, target: RowTarget): AsyncGenerator<Buffer> {
  let all: RowKind | undefined;
  for await (const row of readRows(content, rulesOf(target))) {
    const kind = kindOf(row, PARAM);
    all ??= kind;
    if (kind !== all)
      throw new AppError('PARAMETER_INVALID', {
        param: PARAM,
        detail: `Invalid row in ${PARAM}, ${row.place}: all rows have one url`,
      });
    yield toLine(await toRecord(row, kind, target));
  }
}

async function* trainingOf(
  content: AsyncIterable<Buffer>,
  target: RowTarget,
  kind: TrainingKind,
): AsyncGenerator<Buffer> {
  for await (const line of readLines(content, rulesOf(target))) yield toLine(toTraining(line, kind));
}

const rulesOf = ({ tools, param }: RowTarget): RowRules => ({ param, json: tools.json, memory: tools.memory });

const toLine = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

function encryptionOf({ fields }: Call): Readonly<Record<string, string>> {
  const key = fields.text('aws_server_side_encryption_kms_key_id');
  const kind = fields.text('aws_server_side_encryption') ?? (key === undefined ? undefined : 'aws:kms');
  if (kind === undefined) return {};
  return {
    'x-amz-server-side-encryption': kind,
    ...(key === undefined ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': key }),
  };
}
