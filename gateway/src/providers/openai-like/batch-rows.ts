/** The rows of a batch whose file the upstream keeps, for accounts that admit listed models only. */
import { AppError } from '../../errors/index.ts';
import { atRow, type BatchRow, invalidRow, readRows } from '../../wire/batch-rows/index.ts';
import { textAt } from '../../wire/json/json.ts';
import type { Call, JsonObject, RowCheck } from '../contract.ts';
import { pathSegment } from '../engine/index.ts';
import { type ResourcePath, withProviderOptions } from './resources.ts';

/** Members of the body that name no other rows. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after', 'output_folder'],
]);

/** What rows may ask for: the member `model` of the body says which model runs. */
const ENDPOINT = /^(?:\/v1)?\/(?:chat\/completions|completions|embeddings|responses|moderations)$/;

/** A file does not change: what is read here is what runs. */
export function listedRows(path: ResourcePath): RowCheck {
  return async (call, tools) => {
    const file = pathSegment(inputOf(withProviderOptions(call.params, call), call), PARAM);
    const url = tools.baseUrl() + path(call, `/files/${file}/content`, '');
    const { content } = await tools.open({ method: 'GET', url });
    for await (const row of readRows(content, { param: PARAM, json: tools.json, memory: tools.memory })) {
      checkRow(row, (body) => tools.checkModel(body));
    }
  };
}

const PARAM = 'input_file_id';

/** Throws MODEL_NOT_ALLOWED where the rows may be elsewhere. */
function inputOf(params: JsonObject, { provider }: Call): string {
  const file = textAt(params, PARAM);
  const other = Object.keys(params).find((name) => !KNOWN.has(name));
  if (other === undefined && file !== undefined && file !== '') return file;
  throw new AppError('MODEL_NOT_ALLOWED', {
    provider,
    param: other ?? PARAM,
    detail: `The account admits listed models only: name the rows in ${PARAM}${other === undefined ? '' : `, and leave out ${other.slice(0, 64)}`}`,
  });
}

function checkRow({ place, url = '', body }: BatchRow, checkModel: (body: JsonObject) => void): void {
  const at = { place, param: PARAM };
  if (!ENDPOINT.test(url)) throw invalidRow(at, 'which model its url runs is not known');
  try {
    checkModel(body);
  } catch (error) {
    throw atRow(error, at);
  }
}
