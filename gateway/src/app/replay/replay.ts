/** The decision about a recorded request, made again: docs/behaviour/request-logs.md#replay */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { readEnvironment, toSettings } from '../../config/index.ts';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { Secret } from '../../lib/secret.ts';
import {
  type Answer,
  type Caller,
  type ClientRequest,
  callerOfKey,
  createPipeline,
  type Operation,
} from '../../pipeline/index.ts';
import { PROVIDERS } from '../../providers/register.ts';
import { type Rating, rateRow } from '../../request-log/index.ts';
import { createSnapshotHolder, type SnapshotHolder, type SnapshotView } from '../../snapshot/index.ts';
import { createLogger, createMetrics, type Logger } from '../../telemetry/index.ts';
import { createPipelinePorts } from '../pipeline-ports.ts';
import { bodyOf, finalOf, hasBody, headersOf, isGood, operationOf, type RecordedRequest } from './recorded.ts';
import { createRecordedAnswers } from './recorded-answers.ts';

export interface ReplayedTarget {
  readonly target: string;
  readonly provider: string | undefined;
  readonly account: string | undefined;
  readonly model: string | undefined;
}

export interface ReplayedDecision {
  readonly config: string | undefined;
  readonly configVersion: string | undefined;
  readonly configGeneration: number | undefined;
  readonly mode: string | undefined;
  readonly prompt: string | undefined;
  /** Those that are tried, in order. */
  readonly targets: readonly ReplayedTarget[];
  /** Ids of limits and budgets that are asked. */
  readonly limits: readonly string[];
  /** Ids of guardrails that look at the request. */
  readonly guardrails: readonly string[];
  /** Code of the error for which no target is tried. */
  readonly error: string | undefined;
}

export type Replayed =
  /** `key`: the resources do not have it; `operation`: there is none of this name. */
  | { readonly kind: 'refused'; readonly why: 'key' | 'expired' | 'operation' }
  | {
      readonly kind: 'decided';
      /** The recorded targets where chance may lead to them, else those of the first try. */
      readonly decision: ReplayedDecision;
      /** Chance decides. */
      readonly isRandom: boolean;
      /** Other answers of earlier targets, which the record does not have, would lead to other targets. */
      readonly isGuess: boolean;
      /** Undefined: the final row had no target. */
      readonly rating: Rating | undefined;
      /** The body was kept as a whole. */
      readonly hasBody: boolean;
      /** Headers were kept. */
      readonly hasHeaders: boolean;
    };

/** There is no decision that could be made again. */
const NOT_SERVED = 'this record did not go through the gateway';

/** Draws that are tried where chance decides. */
const MAX_DRAWS = 100;

/** Opens no connection and waits for nothing. Rejects for a Snapshot that cannot be used, and for a record of a client. */
export async function replayRequest(snapshot: Snapshot, recorded: RecordedRequest, nowMs: number): Promise<Replayed> {
  const final = finalOf(recorded);
  if (final.source === 'log') throw new Error(NOT_SERVED);
  const snapshots = createSnapshotHolder({ providers: PROVIDERS });
  const { rejected } = await snapshots.load(1, snapshot);
  const view = snapshots.current;
  if (rejected !== undefined || view === undefined) throw new Error(rejected?.reason ?? 'nothing was loaded');
  const caller = final.api_key === null ? undefined : callerOfKey(final.api_key, final.workspace, view);
  if (caller === undefined) return { kind: 'refused', why: 'key' };
  if (caller.key.expiresAtMs <= nowMs) return { kind: 'refused', why: 'expired' };
  const operation = operationOf(final.operation);
  if (operation === undefined) return { kind: 'refused', why: 'operation' };
  const replay = {
    recorded,
    snapshots,
    view,
    operation,
    caller: withCredential(caller, recorded),
    logger: createSilence(),
  };
  return {
    kind: 'decided',
    ...(await decideAsRecorded(replay)),
    ...{ hasBody: hasBody(recorded), hasHeaders: recorded.request?.gwHeaders !== undefined },
    rating: final.provider === null ? undefined : rateRow(final, pricesOf(view), nowMs),
  };
}

async function decideAsRecorded(replay: Replay) {
  const { recorded } = replay;
  const wanted = pathsOf(recorded);
  const first = await decide(replay, drawsOf(0));
  if (!first.isRandom) return first;
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const made = await decide(replay, drawsOf(draw));
    const paths = made.decision.targets.map(({ target }) => target);
    if (isSame(paths, wanted, recorded.isWhole)) return made;
  }
  return first;
}

/** The client had a credential of its own; nobody is called with this one. */
const withCredential = (caller: Caller, { request }: RecordedRequest): Caller =>
  request?.headers?.['authorization'] === undefined ? caller : { ...caller, credential: new Secret('stand-in') };

const pathsOf = ({ rows }: RecordedRequest): readonly string[] =>
  rows.flatMap(({ target }) => (target === null ? [] : [target]));

/** Of a final row alone the last target is known. */
const isSame = (paths: readonly string[], wanted: readonly string[], isWhole: boolean): boolean =>
  isWhole ? paths.join() === wanted.join() : paths.at(-1) === wanted.at(-1);

const pricesOf = (view: SnapshotView): Parameters<typeof rateRow>[1] => ({
  prices: view.prices,
  accountOf: (workspace, slug) => {
    const found = view.provider(workspace, slug);
    return found && { provider: found.provider.id, prices: found.prices };
  },
});

/** Spread evenly over all that chance can do: the draws of one request move through [0, 1) at speeds that have no common measure. */
const SPEEDS = [1 / MAX_DRAWS, Math.SQRT2 % 1, Math.sqrt(3) % 1, Math.sqrt(5) % 1, Math.sqrt(7) % 1];

function drawsOf(draw: number): () => number {
  let at = 0;
  return () => {
    const speed = SPEEDS[at % SPEEDS.length] ?? 0;
    at += 1;
    return ((draw + 0.5) * speed) % 1;
  };
}

interface Replay {
  readonly recorded: RecordedRequest;
  readonly snapshots: SnapshotHolder;
  readonly view: SnapshotView;
  readonly operation: Operation;
  readonly caller: Caller;
  readonly logger: Logger;
}

const createSilence = (): Logger =>
  createLogger({ level: 'silent', service: 'replay', destination: { write: () => undefined } });

/** Memory that one request may hold; its body is at most what the log keeps. */
const MEMORY_BYTES = 256 * 1024 * 1024;

async function decide({ recorded, snapshots, view, operation, caller, logger }: Replay, random: () => number) {
  const settings = toSettings(readEnvironment({}));
  const budget = createByteBudget(MEMORY_BYTES);
  const answers = createRecordedAnswers(recorded);
  const own = createPipelinePorts(settings, {
    ...{ variables: {}, budget, snapshots, client: answers.client },
    metrics: createMetrics({ service: 'replay', environment: '', runtime: false, bufferedBytes: () => 0 }),
    logger,
    recorder: { needsStreamUsage: () => false, watched: () => undefined },
  });
  const memory = budget.open();
  const tasks: (() => void)[] = [];
  let isRandom = false;
  const { ports } = own;
  const pipeline = createPipeline({
    ...ports,
    attempts: {
      ...ports.attempts,
      inputChecks: answers.around(ports.attempts.inputChecks),
      sleep: async () => undefined,
    },
    random: () => {
      isRandom = true;
      return random();
    },
  });
  try {
    const answer = await pipeline.handle({
      ...{ operation, caller, snapshot: view, request: requestOf(recorded), memory },
      signal: new Cancellation(),
      atEnd: (task) => void tasks.push(task),
      startedMs: performance.now(),
      trace: { traceId: 'replay', spanId: undefined, parentSpanId: undefined, spanName: undefined },
    });
    if (answer.body.kind === 'stream') answer.body.upstream.discard();
    return { decision: decisionOf(answer, recorded), isRandom, isGuess: answers.isGuess() };
  } finally {
    memory.close();
    for (const task of tasks) task();
    await own.close();
  }
}

function requestOf(recorded: RecordedRequest): ClientRequest {
  const { method, url } = finalOf(recorded);
  const headers = headersOf(recorded);
  return {
    ...{ method, path: url, query: '', route: {} },
    header: (name) => headers.get(name),
    headers: () => headers,
    checkLength: () => undefined,
    readBody: async () => bodyOf(recorded),
  };
}

function decisionOf({ facts }: Answer, recorded: RecordedRequest): ReplayedDecision {
  const { route, decisions, attempts, guardrails } = facts;
  const targetsOf = (tried: typeof attempts) => tried.filter(({ target }) => target !== undefined);
  const tried = targetsOf(attempts);
  // The body of a good answer is not in the record: what becomes of the stand-in says nothing.
  const { status, attempt, operation } = finalOf(recorded);
  const isLast = isGood(status) || (!recorded.isWhole && operationOf(operation)?.looksUp === true);
  const known = isLast ? targetsOf(attempts.slice(0, attempt + 1)) : tried;
  const inputs = (guardrails?.verdicts() ?? []).filter(({ phase }) => phase === 'input');
  return {
    ...{ config: route.config, configVersion: route.configVersion, configGeneration: route.configGeneration },
    ...{ mode: route.mode, prompt: route.prompt },
    targets: known.map(({ target = '', provider, account, model }) => ({ target, provider, account, model })),
    limits: decisions.limits.verdicts().map(({ id }) => id),
    guardrails: [...new Set(inputs.map(({ id }) => id))],
    error: tried.length === 0 ? facts.error?.code : undefined,
  };
}
