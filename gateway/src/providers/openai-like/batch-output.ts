/** The output of a batch where the upstream keeps it in a file, as OpenAI does. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { Call, JsonObject, Procedure, ProcedureTools } from '../contract.ts';
import { jsonOfStep, pathSegment, pathText } from '../engine/index.ts';
import type { ResourceOptions, ResourcePath } from './resources.ts';

/** The rows of the batch, else those that have failed, else what is wrong with it as a whole. */
export function batchOutput(path: ResourcePath, { supports }: Pick<ResourceOptions, 'supports'> = {}): Procedure {
  return { offer: 'passed on', ...(supports === undefined ? {} : { supports }), run };

  async function run(call: Call, tools: ProcedureTools): ReturnType<Procedure['run']> {
    const id = pathText(call.route['batch_id'] ?? '', 'batch_id');
    const url = (below: string): string => tools.baseUrl() + path(call, below, '');
    const batch = jsonOfStep(await tools.ask({ method: 'GET', url: url(`/batches/${id}`) }), call);
    const file = fileOf(batch);
    if (file === undefined) return { kind: 'json', value: problemsOf(batch, call) };
    const content = `/files/${pathSegment(file, 'output_file_id')}/content`;
    const answer = await tools.open({ method: 'GET', url: url(content) });
    return { kind: 'content', contentType: 'application/octet-stream', content: answer.content, file };
  }
}

function fileOf(batch: JsonObject): string | undefined {
  return ['output_file_id', 'error_file_id'].map((name) => batch[name]).find(isName);
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Where Azure names an output outside of its files. Source: Azure OpenAI, "Configuring Azure Blob Storage with batch". */
const BLOBS = ['output_blob', 'error_blob'] as const;

/** Throws BATCH_OUTPUT_MISSING. */
function problemsOf(batch: JsonObject, { provider }: Call): object {
  const { errors, status } = batch;
  const blob = BLOBS.find((name) => isName(batch[name]));
  if (blob !== undefined) {
    throw new AppError('BATCH_OUTPUT_MISSING', {
      provider,
      detail: `The output of the batch is no file: it is in a storage of its own, which is read there (${blob} of the batch)`,
    });
  }
  if (isObject(errors)) return errors;
  const state = isName(status) ? ` (${status.slice(0, 32)})` : '';
  throw new AppError('BATCH_OUTPUT_MISSING', { provider, detail: `The batch has no output file yet${state}` });
}
