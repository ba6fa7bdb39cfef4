/** The body that creates a batch. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../lib/scalar-text.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { BATCH_ENDPOINTS } from '../endpoints.ts';
import type { BatchOrder } from '../records.ts';
import { invalid } from './answers.ts';
import { readGwOptions } from './gw-options.ts';
import { lifetimeMsOf } from './upload.ts';

export interface BatchRequest
  extends Pick<BatchOrder, 'endpoint' | 'inputFileId' | 'completionWindow' | 'metadata' | 'providerOptions'> {
  readonly headers: BatchOrder['headers'];
  /** How long its output is to be kept, in ms; undefined: the client does not say. */
  readonly outputLifetimeMs: number | undefined;
}

const MEMBERS: ReadonlySet<string> = new Set([
  ...['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after', 'gw_options'],
  'provider_options',
]);

/** Throws PARAMETER_INVALID for the first member that is wrong or not known. */
export function readBatchRequest(body: JsonObject): BatchRequest {
  for (const name of Object.keys(body)) {
    if (!MEMBERS.has(name)) {
      const known = [...MEMBERS].join(', ');
      throw invalid(
        name.slice(0, 64),
        `is no part of a batch that the gateway runs itself; it has ${known}, and rows name their model`,
      );
    }
  }
  const {
    input_file_id: inputFileId,
    endpoint,
    completion_window: window = '24h',
    metadata,
    gw_options: options,
  } = body;
  if (typeof inputFileId !== 'string' || inputFileId === '') throw invalid('input_file_id', 'must be the id of a file');
  if (typeof endpoint !== 'string' || !BATCH_ENDPOINTS.has(endpoint)) {
    throw invalid('endpoint', `must be one of ${[...BATCH_ENDPOINTS.keys()].join(', ')}`);
  }
  if (window !== '24h' && window !== 'immediate') throw invalid('completion_window', 'must be 24h or immediate');
  return {
    inputFileId,
    endpoint,
    completionWindow: window,
    ...readProviderOptions(body['provider_options'], window),
    metadata: readMetadata(metadata),
    headers: readGwOptions(options),
    outputLifetimeMs: readLifetime(body['output_expires_after']),
  };
}

/** Units: characters of JSON. */
const MAX_OPTIONS = 16_384;

function readProviderOptions(
  given: unknown,
  window: BatchOrder['completionWindow'],
): Pick<BatchOrder, 'providerOptions'> {
  if (given === undefined || given === null) return {};
  const name = 'provider_options';
  if (!isObject(given)) throw invalid(name, 'must be an object');
  if (window === 'immediate') throw invalid(name, 'is for batches of providers, which run none that is immediate');
  const text = JSON.stringify(given);
  if (text.length > MAX_OPTIONS) throw invalid(name, `must have at most ${MAX_OPTIONS} characters of JSON`);
  readMetadata(given['metadata'], { name: `${name}.metadata`, maxPairs: MAX_PAIRS - 1 }); // one is the gateway's own
  return { providerOptions: JSON.parse(text) };
}

const MAX_PAIRS = 16;
const MAX_NAME = 64;
const MAX_VALUE = 512;

/** Source of the bounds: OpenAI's API. */
function readMetadata(
  given: unknown,
  { name: at, maxPairs } = { name: 'metadata', maxPairs: MAX_PAIRS },
): BatchOrder['metadata'] {
  if (given === undefined || given === null) return null;
  const pairs = isObject(given) ? Object.entries(given) : undefined;
  const isGood = pairs?.every(
    ([name, value]) => name.length <= MAX_NAME && typeof value === 'string' && value.length <= MAX_VALUE,
  );
  if (pairs !== undefined && pairs.length <= maxPairs && isGood === true)
    return Object.fromEntries(pairs as [string, string][]); // checked above
  throw invalid(
    at,
    `must be an object of at most ${maxPairs} texts, with names of at most ${MAX_NAME} and values of at most ${MAX_VALUE} characters`,
  );
}

function readLifetime(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given) || given['anchor'] !== 'created_at')
    throw invalid('output_expires_after.anchor', 'must be created_at');
  return lifetimeMsOf(Number(scalarText(given['seconds'])), 'output_expires_after.seconds');
}
