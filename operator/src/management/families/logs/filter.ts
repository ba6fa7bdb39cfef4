/** What a query asks of the request log: docs/behaviour/request-logs.md#filters */
import { brokenTextAt, isObject } from '@gatehouse/crds';
import type { logs } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { logOff, RestError } from '../../http/rest-error.ts';
import { type Bounds, type LogFilter, type LogSource, visibleRows } from '../../logs/index.ts';
import type { RestCall, Services } from '../family.ts';
import { storedKeys } from '../key-ids.ts';

/** The members that all questions have. */
export type FilterQuery = Omit<
  z.output<typeof logs.list.query>,
  'current_page' | 'page_size' | 'currentPage' | 'pageSize'
>;

const MAX_VALUES = 100;
/** Without bounds. */
const USUAL_MS = 30 * 86_400_000;
/** The metadata of a row has at most as many characters. */
const MAX_TEXT = 128;
const NANO_PER_CENT = 1e7;

interface FilteredCall {
  readonly caller: RestCall['caller'];
  readonly query: FilterQuery;
}

/** Throws RestError INVALID with the name of the member, ABSENT for a workspace that does not exist. */
export async function filterOf({ caller, query }: FilteredCall, services: Services): Promise<LogFilter> {
  const named = query.workspace_slug ?? query.workspace_id;
  const visible = await visibleRows(caller, services, { named });
  const keys = listOf(query, 'api_key_ids');
  const apiKeys = keys && (await storedKeys(keys, { caller, services }));
  return {
    visible,
    ...timeOf(query, services.now()),
    apiKeys,
    accounts: listOf(query, 'virtual_keys'),
    configs: listOf(query, 'configs'),
    prompts: listOf(query, 'prompt_slug'),
    statuses: statusesOf(query),
    models: modelsOf(query),
    modelNames: listOf(query, 'ai_model'),
    traces: listOf(query, 'trace_id'),
    spans: listOf(query, 'span_id'),
    inputTokens: bounds(query, 'prompt_token'),
    outputTokens: bounds(query, 'completion_token'),
    totalTokens: bounds(query, 'total_units'),
    costNano: bounds(query, 'cost', NANO_PER_CENT),
    feedback: bounds(query, 'weighted_feedback'),
    metadata: metadataOf(query),
  };
}

function timeOf(query: FilterQuery, now: number): Pick<LogFilter, 'from' | 'to'> {
  const { time_of_generation_min: min, time_of_generation_max: max } = query;
  const to = max === undefined ? now + 1 : Date.parse(max) + 1; // the last millisecond counts
  const from = min === undefined ? to - USUAL_MS : Date.parse(min);
  if (from < to) return { from, to };
  throw refused('time_of_generation_min', 'is later than time_of_generation_max');
}

type ListName =
  | ('status_code' | 'virtual_keys' | 'configs' | 'api_key_ids' | 'ai_org_model' | 'ai_model')
  | ('trace_id' | 'span_id' | 'prompt_slug');

function listOf(query: FilterQuery, name: ListName): readonly string[] | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) throw refused(name, 'has no value');
  if (values.length > MAX_VALUES) throw refused(name, `at most ${MAX_VALUES} values`);
  return values;
}

const statusesOf = (query: FilterQuery): readonly number[] | undefined =>
  listOf(query, 'status_code')?.map((value) => {
    if (/^[1-9]\d\d$/.test(value)) return Number(value);
    throw refused('status_code', 'expected statuses of three digits with commas between them');
  });

const modelsOf = (query: FilterQuery): LogFilter['models'] =>
  listOf(query, 'ai_org_model')?.map((pair) => {
    const at = pair.indexOf('__');
    if (at > 0 && at + 2 < pair.length) return { provider: pair.slice(0, at), model: pair.slice(at + 2) };
    throw refused('ai_org_model', 'expected provider__model, with commas between pairs');
  });

function metadataOf({ metadata: text }: FilterQuery): LogFilter['metadata'] {
  if (text === undefined) return undefined;
  const given = parsed(text);
  if (!isObject(given) || brokenTextAt(given) !== undefined)
    throw refused('metadata', 'expected a JSON object of texts');
  const members = Object.entries(given);
  if (members.length > MAX_VALUES) throw refused('metadata', `at most ${MAX_VALUES} members`);
  return Object.fromEntries(
    members.map(([name, value]) => {
      if (typeof value !== 'string') throw refused('metadata', 'expected a JSON object of texts');
      return [name.slice(0, MAX_TEXT), value.slice(0, MAX_TEXT)];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type BoundName = 'prompt_token' | 'completion_token' | 'total_units' | 'cost' | 'weighted_feedback';

function bounds(query: FilterQuery, name: BoundName, factor = 1): Bounds | undefined {
  const [min, max] = [query[`${name}_min`], query[`${name}_max`]];
  if (min === undefined && max === undefined) return undefined;
  if (min !== undefined && max !== undefined && min > max) throw refused(`${name}_min`, `is more than ${name}_max`);
  return { min: min && min * factor, max: max && max * factor };
}

const refused = (param: string, message: string): RestError =>
  new RestError('INVALID', { message: `query ${param}: ${message}`, param });

/** Throws RestError LOG_OFF where no request log is kept. */
export function logsOf({ logs }: Pick<Services, 'logs'>): LogSource {
  if (logs !== undefined) return logs;
  throw logOff();
}
