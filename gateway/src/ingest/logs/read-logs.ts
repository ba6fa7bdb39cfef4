/** Reads the elements of `POST /v1/logs`. */
import { formatPath, fromZodError, isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { hashId } from '../../lib/hash-id.ts';
import { forEachInSlices } from '../../lib/slices.ts';
import { readUsage } from '../../usage/index.ts';
import type { Entry, EntryContext } from '../entry.ts';
import { headerEntries, NANO_PER_CENT, plainUrl } from '../entry.ts';
import { modelOfBody, modelOfUrl, paramsOf } from './model.ts';
import { type LogElement, logElement } from './shape.ts';

/** Of one call. */
export const MAX_ELEMENTS = 1_000;
/** Longest path of an error, in characters: names of headers are the client's. */
const MAX_PATH = 256;

/** All elements, or the AppError that names the first member that is wrong. */
export async function readLogs(given: unknown, context: EntryContext): Promise<readonly Entry[]> {
  const isList = Array.isArray(given);
  const elements: readonly unknown[] = isList ? given : [given];
  if (elements.length > MAX_ELEMENTS)
    throw invalid('', `there are more than ${MAX_ELEMENTS} records; send them in parts`);
  const entries: Entry[] = [];
  let at = 0;
  await forEachInSlices(elements, (element) => {
    const place: readonly number[] = isList ? [at] : [];
    at += 1;
    entries.push(readElement(element, place, context));
  });
  return entries;
}

const NO_METADATA: NonNullable<LogElement['metadata']> = {
  ...{ trace_id: undefined, traceId: undefined, span_id: undefined, parent_span_id: undefined, span_name: undefined },
};

type Place = readonly (string | number)[];

function readElement(value: unknown, place: Place, context: EntryContext): Entry {
  if (!isObject(value)) throw invalid(formatPath(place), 'is an object with request and response');
  const parsed = logElement.safeParse(value);
  if (!parsed.success) {
    const [first] = fromZodError(parsed.error, { schema: logElement, value });
    throw invalid(formatPath([...place, ...(first?.path ?? [])]), first?.message ?? 'is wrong');
  }
  return toEntry(parsed.data, place, context);
}

function toEntry(element: LogElement, place: Place, context: EntryContext): Entry {
  const { request, response, output } = element;
  const { trace_id, traceId, span_id, parent_span_id, span_name, ...metadata } = element.metadata ?? NO_METADATA;
  const params = paramsOf(request.body);
  const account = accountOf(request.provider, [...place, 'request', 'provider'], context);
  const user = params?.['user'];
  const ids = {
    traceId: element.trace_id ?? element.traceId ?? trace_id ?? traceId,
    spanId: element.span_id ?? span_id,
  };
  return {
    identity: identityOf(element, ids),
    ...ids,
    parentSpanId: element.parent_span_id ?? parent_span_id,
    spanName: element.span_name ?? span_name,
    startedAtMs: timeOf(element.createdAt, [...place, 'createdAt'], context),
    metadata,
    provider: account?.provider.id ?? request.provider,
    account,
    model: modelOfBody(params) ?? modelOfUrl(request.url),
    request: {
      method: (request.method ?? 'POST').toUpperCase(),
      url: plainUrl(request.url),
      headers: headersOf(request.headers),
      body: bytesOf(request.body),
    },
    response: {
      status: response?.status ?? 200,
      isStream: response?.streamingMode ?? params?.['stream'] === true,
      responseMs: response?.response_time ?? 0,
      headers: headersOf(response?.headers),
      body: bytesOf(response?.body),
    },
    user: typeof user === 'string' ? user : undefined,
    usage: usageOf(output),
    costNano: output?.cost === undefined ? undefined : Math.round(output.cost.cost * NANO_PER_CENT),
  };
}

/** Ids of spans are what clients make of them: the same ones with another content are another call. */
function identityOf(
  element: LogElement,
  { traceId, spanId }: { readonly traceId: string | undefined; readonly spanId: string | undefined },
): Entry['identity'] {
  if (traceId === undefined || spanId === undefined || element.createdAt === undefined) return undefined;
  return hashId(['log', traceId, spanId, JSON.stringify(element)]);
}

function accountOf(provider: string | undefined, place: Place, { account }: EntryContext): Entry['account'] {
  if (provider?.startsWith('@') !== true) return undefined;
  const found = account(provider.slice(1));
  if (found === undefined) throw invalid(formatPath(place), 'is no account of the workspace');
  return found;
}

function timeOf(given: string | number | undefined, place: Place, context: EntryContext): number {
  const { nowMs, oldestMs, newestMs } = context;
  if (given === undefined) return nowMs;
  const ms = typeof given === 'number' ? Math.floor(given) : Date.parse(given);
  if (ms >= oldestMs && ms <= newestMs) return ms;
  const [from, to] = [oldestMs, newestMs].map((bound) => new Date(bound).toISOString());
  throw invalid(formatPath(place), `is a time from ${from} to ${to}, in RFC 3339 or in ms of Unix time`);
}

function usageOf(output: LogElement['output']): Entry['usage'] {
  if (output?.ignoreUsage === true) return undefined;
  if (output?.tokens === undefined) return 'unread';
  const { requestUnits = 0, responseUnits = 0, cache } = output.tokens;
  return readUsage({
    prompt_tokens: requestUnits,
    completion_tokens: responseUnits,
    prompt_tokens_details: { cached_tokens: cache?.read ?? 0 },
    cache_creation_input_tokens: cache?.write ?? 0,
  });
}

type Headers = LogElement['request']['headers'];

const headersOf = (given: Headers): Entry['request']['headers'] =>
  Object.entries(given ?? {}).flatMap(([name, value]) => headerEntries(name, Array.isArray(value) ? value : [value]));

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

const invalid = (path: string, rule: string): AppError => {
  const param = path.slice(0, MAX_PATH);
  return new AppError('PARAMETER_INVALID', {
    param,
    detail: `Nothing was stored: ${param === '' ? 'the body' : param}: ${rule}`,
  });
};
