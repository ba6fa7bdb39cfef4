/** The output of a batch where the upstream keeps it in a file, as OpenAI does, or in a storage. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { Call, JsonObject, OpenedAnswer, Procedure, ProcedureResult, ProcedureTools } from '../contract.ts';
import { jsonOfStep, pathSegment, pathText } from '../engine/index.ts';
import { type PlainContent, plainContent } from './plain-content.ts';
import type { ResourceOptions, ResourcePath } from './resources.ts';

/** Where the upstream says that an output is. */
export interface NamedBlob {
  readonly url: string;
  /** Of the batch. */
  readonly member: string;
}

export interface BatchOutputOptions extends Pick<ResourceOptions, 'supports'> {
  /** Opens an output that is in a storage of its own. Absent: it is not read. */
  openBlob?(blob: NamedBlob, call: Call, tools: ProcedureTools): Promise<OpenedAnswer>;
}

/** The rows of the batch, else those that have failed, else what is wrong with it as a whole. */
export function batchOutput(path: ResourcePath, { supports, openBlob }: BatchOutputOptions = {}): Procedure {
  return { offer: 'passed on', ...(supports === undefined ? {} : { supports }), run };

  async function run(call: Call, tools: ProcedureTools): ReturnType<Procedure['run']> {
    const id = pathText(call.route['batch_id'] ?? '', 'batch_id');
    const url = (below: string): string => tools.baseUrl() + path(call, below, '');
    const batch = jsonOfStep(await tools.ask({ method: 'GET', url: url(`/batches/${id}`) }), call);
    const file = fileOf(batch);
    if (file !== undefined) {
      const content = `/files/${pathSegment(file, 'output_file_id')}/content`;
      const opened = await tools.open({ method: 'GET', url: url(content) });
      return toResult(file, plainContent(opened, { call, what: 'the output file', memory: tools.memory }));
    }
    const blob = blobOf(batch);
    if (blob === undefined) return { kind: 'json', value: problemsOf(batch, call) };
    if (openBlob === undefined) throw blobUnread(blob, call);
    const opened = await openBlob(blob, call, tools);
    return toResult(
      URL.parse(blob.url)?.href ?? blob.url,
      plainContent(opened, { call, what: blob.member, memory: tools.memory }),
    );
  }
}

/** `file`: what the provider calls it, however often it is read. */
const toResult = (file: string, plain: PlainContent): ProcedureResult => ({
  kind: 'content',
  contentType: 'application/octet-stream',
  ...plain,
  file,
});

function fileOf(batch: JsonObject): string | undefined {
  return ['output_file_id', 'error_file_id'].map((name) => batch[name]).find(isName);
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Where an output is outside of the files of its provider. Source: Azure OpenAI, "Configuring Azure Blob Storage with batch". */
const BLOBS = ['output_blob', 'error_blob'] as const;

function blobOf(batch: JsonObject): NamedBlob | undefined {
  for (const member of BLOBS) {
    const url = batch[member];
    if (isName(url)) return { url, member };
  }
  return undefined;
}

const blobUnread = ({ member }: NamedBlob, { provider }: Call): AppError =>
  new AppError('BATCH_OUTPUT_MISSING', {
    provider,
    detail: `The output of the batch is no file: it is in a storage of its own, which is read there (${member} of the batch)`,
  });

/** Throws BATCH_OUTPUT_MISSING. */
function problemsOf({ errors, status }: JsonObject, { provider }: Call): object {
  if (isObject(errors)) return errors;
  const state = isName(status) ? ` (${status.slice(0, 32)})` : '';
  throw new AppError('BATCH_OUTPUT_MISSING', { provider, detail: `The batch has no output file yet${state}` });
}
