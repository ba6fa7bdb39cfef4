/** Looks for a batch that may have been created at a provider, before another one is. */
import { isObject } from '@gatehouse/crds';
import type { JsonLimits } from '../../lib/json/index.ts';
import { linesOf } from '../../lib/lines.ts';
import type { RowBatches } from '../../providers/contract.ts';
import { piecesOf } from '../../upstream/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { ProviderBatch } from '../records.ts';
import { contentOf, type ProviderCalls } from './calls.ts';
import { rowOf } from './input.ts';
import { parsedLine, SILENT_READ } from './output.ts';

/** Where the marker is, among the metadata of a batch. */
export const MARKER = 'gatehouse-batch';

/** `unknown`: the provider does not tell now. */
export type Found = { readonly kind: 'found'; readonly batch: JsonObject } | { readonly kind: 'absent' | 'unknown' };

export interface FindOptions {
  readonly calls: ProviderCalls;
  readonly at: ProviderBatch;
  readonly input: RowBatches['input'];
  /** Rows of the batch. */
  readonly total: number;
  readonly json: JsonLimits;
}

const PAGE = 100;
const MAX_PAGES = 50;
/** Clocks of providers may be wrong by so much, in ms. */
const CLOCK_MS = 600_000;

/** Batches are listed with the newest first. */
export async function findBatch(options: FindOptions): Promise<Found> {
  let after: string | undefined;
  let isSure = true;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await listedAfter(after, options);
    if (listed === undefined) return { kind: 'unknown' };
    const { batch, isUnsure } = await ourAmong(listed.batches, options);
    if (batch !== undefined) return { kind: 'found', batch };
    isSure &&= !isUnsure;
    after = listed.next;
    if (after === undefined) return { kind: isSure ? 'absent' : 'unknown' };
  }
  return { kind: 'unknown' };
}

interface Listed {
  readonly batches: readonly JsonObject[];
  /** The last of the page; undefined: older ones are of no interest. */
  readonly next: string | undefined;
}

async function listedAfter(after: string | undefined, { calls, at }: FindOptions): Promise<Listed | undefined> {
  const query = `limit=${PAGE}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
  const told = await calls.ask(at, { operation: 'listBatches', path: '/v1/batches', query });
  if (told.kind !== 'good' || !Array.isArray(told.value['data'])) return undefined;
  const batches = told.value['data'].filter(isObject);
  const last = batches.at(-1);
  const isOver = told.value['has_more'] !== true || last === undefined || !isYoung(last, at);
  return { batches, next: isOver ? undefined : String(last['id']) };
}

async function ourAmong(
  batches: readonly JsonObject[],
  options: FindOptions,
): Promise<{ readonly batch: JsonObject | undefined; readonly isUnsure: boolean }> {
  let isUnsure = false;
  for (const batch of batches.filter((each) => isYoung(each, options.at))) {
    const isOurs = await identify(batch, options);
    if (isOurs === true) return { batch, isUnsure };
    isUnsure ||= isOurs === undefined;
  }
  return { batch: undefined, isUnsure };
}

const isYoung = ({ created_at: seconds }: JsonObject, { begunAt }: ProviderBatch): boolean =>
  typeof seconds !== 'number' || seconds * 1_000 >= begunAt - CLOCK_MS;

/** Undefined: that is seen when it has ended. */
function identify(batch: JsonObject, options: FindOptions): boolean | Promise<boolean | undefined> {
  const { at, input, total } = options;
  if (input === 'file') {
    const { metadata, input_file_id: file } = batch;
    return (isObject(metadata) && metadata[MARKER] === at.marker) || (at.file !== null && file === at.file);
  }
  const counts = batch['request_counts'];
  if (isObject(counts) && counts['total'] !== total) return false;
  return byFirstResult(batch, options);
}

/** Results repeat the names of the rows. */
async function byFirstResult(
  { id, output_file_id: output, status }: JsonObject,
  { calls, at, json }: FindOptions,
): Promise<boolean | undefined> {
  if (typeof id !== 'string') return false;
  if (typeof output !== 'string') return status === 'failed' ? false : undefined;
  const call = { operation: 'getFileContent', ...fileAt(output), settlement: SILENT_READ } as const;
  try {
    return await calls.use(at, call, async (answer, exchange) => {
      const content = contentOf(answer, exchange);
      for await (const line of linesOf(piecesOf(content), MAX_LINE)) {
        if (line.length > 0) return rowOf(at.marker, parsedLine(line, json)?.['custom_id']) !== undefined;
      }
      return false;
    });
  } catch {
    return undefined; // it is asked again
  }
}

const MAX_LINE = 64 * 1024 * 1024;

export const fileAt = (id: string) => ({
  path: `/v1/files/${encodeURIComponent(id)}/content`,
  route: { file_id: encodeURIComponent(id) },
});
