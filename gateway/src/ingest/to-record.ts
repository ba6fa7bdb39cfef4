/** From what a client tells of a call to the record that the gateway makes of its own: rows and documents follow from it. */

import { randomUUID } from 'node:crypto';
import { boundMetadata, boundText } from '@gatehouse/crds/logs';
import {
  callerFacts,
  OPERATIONS,
  type Operation,
  type ResolvedRequest,
  scrubberOf,
  textScrubberOf,
} from '../pipeline/index.ts';
import {
  type AttemptFacts,
  type BodiesKept,
  boundClient,
  Capture,
  type CapturedAttempt,
  type CountedAnswer,
  cleanRecord,
  createHeaderMasks,
  isGood,
  NO_GUARDRAILS,
  NO_VERDICTS,
  NOTHING_COUNTED,
  type RequestRecord,
  wholeClient,
  withUsage,
} from '../record/index.ts';
import { readReport } from '../usage/index.ts';
import { type Entry, headersByName, MAX_COST_NANO } from './entry.ts';

export interface RecordContext {
  readonly request: ResolvedRequest;
  /** `none`: rows alone. */
  readonly kept: BodiesKept | 'none';
  /** Of each body. */
  readonly maxBodyBytes: number;
}

/** Operation of calls whose URL says nothing. */
const UNKNOWN = 'log';

const masksOf = createHeaderMasks([]);

export function toRecord(entry: Entry, context: RecordContext): RequestRecord {
  const { exchange, caller, resolution } = context.request;
  const { request, response } = entry;
  const operation = entry.operation ?? operationOf(request.url);
  const captured = captureOf(entry, context);
  const { account } = entry;
  const facts = callerFacts(caller);
  const attempt = {
    ...attemptOf(entry, context.request),
    captured: captured && attemptCapture(captured, entry),
    textScrubber: account && (() => textScrubberOf(account.target)),
  };
  const trace = {
    traceId: entry.traceId ?? exchange.request.header('x-gw-trace-id') ?? randomUUID(),
    spanId: entry.spanId,
    parentSpanId: entry.parentSpanId,
    spanName: entry.spanName,
  };
  // First for the order: those of the key and the workspace are the ones that are kept.
  const metadata = Object.assign(Object.create(null), resolution.metadata, entry.metadata, resolution.metadata);
  const headers = headersByName(request.headers);
  const client = wholeClient({ header: (name) => headers[name] });
  const record = {
    request: {
      trace,
      ...{ method: request.method, path: request.url, operation },
      generates: OPERATIONS_BY_ID.get(operation)?.generates,
      startedAtMs: entry.startedAtMs,
      bytes: request.body?.length ?? 0,
      user: entry.user === undefined ? undefined : boundText(entry.user),
      client: boundClient(client),
      metadata: boundMetadata(metadata),
      headers: () => Object.entries(headers),
      carrierHeaders: () => [...exchange.request.headers(), ...request.headers],
      sensitiveHeaders: () =>
        masksOf({
          lists: [exchange.snapshot.organisation.headersToMask, ...(facts.headersToMask ?? [])],
          given: exchange.request.header('x-gw-sensitive-headers'),
        }),
    },
    caller: facts,
    route: { config: undefined, mode: 'single', optionPath: undefined },
    decisions: {
      ...{ cache: undefined, retries: undefined, attemptsExhausted: false },
      ...{ limits: NO_VERDICTS, guardrails: NO_GUARDRAILS },
    },
    attempts: [attempt],
    answeredBy: attempt,
    answer: {
      status: response.status,
      bytes: response.body?.length ?? 0,
      firstByteMs: response.responseMs,
      durationMs: response.responseMs,
      stream: response.isStream,
      error: undefined,
      snapshot: exchange.snapshot.version,
    },
    captured,
  };
  return cleanRecord(record, { trace, metadata, user: entry.user, client });
}

function attemptOf(entry: Entry, { exchange }: ResolvedRequest): AttemptFacts {
  const { provider, account, model, response } = entry;
  const plain: AttemptFacts = {
    provider,
    account: account?.slug,
    model,
    answeredModel: entry.answeredModel,
    droppedParams: [],
    status: response.status,
    ...{ error: undefined, cache: undefined, calls: 1 },
    startedAtMs: entry.startedAtMs,
    ...{ durationMs: response.responseMs, upstreamMs: response.responseMs },
    usage: undefined,
    prices: account?.prices,
    cost: undefined,
  };
  const counted = withUsage(plain, countedOf(entry), exchange.snapshot.prices);
  const { costNano } = entry;
  if (costNano === undefined) return isPriced(counted) ? counted : { ...counted, cost: UNPRICED };
  return { ...counted, cost: { nanoDollars: costNano, unpriced: false, estimated: false, isGiven: true } };
}

/** Counts are the client's, and a price may be anything. Without a provider nothing has a price. */
const isPriced = ({ provider, usage, cost }: AttemptFacts): boolean =>
  provider === undefined ? usage === undefined : (cost?.nanoDollars ?? 0) <= MAX_COST_NANO;

/** Given: later prices do not change it. */
const UNPRICED: AttemptFacts['cost'] = { nanoDollars: 0, unpriced: true, estimated: false, isGiven: true };

function countedOf({ usage, answeredModel, request, response }: Entry): CountedAnswer {
  const report = response.body === undefined ? NOTHING_COUNTED : readReport(response.body);
  const model = answeredModel ?? report.model;
  if (usage !== 'unread') return { usage, model, estimated: false };
  // As in rows of the gateway: what failed and what was only read again has used nothing.
  const isUsed =
    (isGood(response.status) || response.status === SOFT_FAILURE) && !/^(?:GET|DELETE)$/.test(request.method);
  return { usage: isUsed ? report.usage : undefined, model, estimated: false };
}

/** A good answer of which a check failed. */
const SOFT_FAILURE = 246;

function captureOf(
  { request, response }: Entry,
  { kept, maxBodyBytes, request: call }: RecordContext,
): Capture | undefined {
  if (kept === 'none' || maxBodyBytes === 0) return undefined;
  const captured = new Capture({ kept, maxBytes: maxBodyBytes, memory: call.exchange.memory });
  if (captured.isWhole) captured.request = captured.keep(request.body);
  if (captured.isWhole || !isGood(response.status))
    captured.answer = { headers: headersByName(response.headers), body: captured.keep(response.body) };
  return captured;
}

/** The secrets of an account that the record names are those of its target. */
function attemptCapture(captured: Capture, { account }: Entry): CapturedAttempt {
  const attempt = captured.openAttempt();
  if (account !== undefined) attempt.scrubber = () => scrubberOf(account.target, {});
  return attempt;
}

const OPERATIONS_BY_ID: ReadonlyMap<string, Operation> = new Map(
  Object.values<Operation>(OPERATIONS).map((operation) => [operation.id, operation]),
);

/** Paths without variable parts, the longest first: of a path they are its end, whatever a vendor has before it. */
const ENDINGS: readonly (readonly [ending: string, operation: string])[] = [...OPERATIONS_BY_ID.values()]
  .filter(({ generates }) => generates !== undefined)
  .flatMap(({ id, routes }) => routes.map(({ path }) => [path.replace(/^\/v\d\//, '/'), id] as const))
  .filter(([ending]) => !/[:*]/.test(ending))
  .sort(([one], [other]) => other.length - one.length);

const operationOf = (url: string): string => ENDINGS.find(([ending]) => url.endsWith(ending))?.[1] ?? UNKNOWN;
