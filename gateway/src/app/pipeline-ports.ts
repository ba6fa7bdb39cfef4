/** What the pipeline needs of the process: limits, stores, the upstream client, randomness and the clock. */
import { randomUUID } from 'node:crypto';
import { gatewayPseudonym } from '@gatehouse/crds/hosts';
import { type Batches, withoutBatches } from '../batches/index.ts';
import { type BudgetStore, createBuckets } from '../budgets/index.ts';
import type { VectorStore } from '../cache/index.ts';
import { createEnvReader, type GatewaySettings, type Variables } from '../config/index.ts';
import { type CountersServer, createCountersServer } from '../fleet-counters/index.ts';
import { createRecordsServer, type RecordsServer } from '../fleet-records/index.ts';
import { withoutIngest } from '../ingest/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import { createRegexScheduler } from '../lib/regex.ts';
import {
  ADAPTERS,
  type AttemptPorts,
  createAdapters,
  createAnswerHooks,
  createAskModel,
  createEmbedPrompt,
  createGuardrailWatch,
  createOverloadCheck,
  createRequestHooks,
  createResolver,
  type GuardrailPorts,
  type PipelinePorts,
} from '../pipeline/index.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createProviderServices, type ServicesOptions } from '../providers/services.ts';
import type { Recorder } from '../record/index.ts';
import type { RequestLog } from '../request-log/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import type { HostPolicy } from '../upstream/host-guard/index.ts';
import { openFleetPort } from './fleet-port.ts';
import type { LimitsStatus } from './limits-status.ts';
import { createMemoryState, type SharedState } from './shared-state.ts';
import { createStores, type Stores } from './stores.ts';
import { createTokens } from './token-ports.ts';
import { hostPolicyOf, openClient } from './upstream-client.ts';

export interface PipelinePortOptions {
  /** In the memory of this process when absent. */
  readonly state?: SharedState | undefined;
  /** In place of that of the state. */
  readonly budgetStore?: BudgetStore | undefined;
  readonly variables: Variables;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly budget: ByteBudget;
  readonly snapshots: Pick<SnapshotHolder, 'current' | 'onChange'>;
  readonly recorder: Pick<Recorder, 'needsStreamUsage' | 'watched'>;
  /** Of each body that the request log keeps and spans show; 0: there are none. */
  readonly maxBodyBytes?: number;
  /** Spans show bodies, where logging allows it. */
  readonly showsBodies?: boolean;
  /** In place of one that calls providers. */
  readonly client?: ReturnType<typeof openClient> | undefined;
  /** Takes rows of sidecars, too. */
  readonly requestLog?: RequestLog | undefined;
  /** Absent: there are none. */
  readonly batches?: Batches;
  /** Absent: none are taken. */
  readonly ingest?: PipelinePorts['ingest'] | undefined;
}

/** The largest body or answer: beside it there must be room for its parsed value and for what is written from it. */
export const largestPart = ({ limit }: ByteBudget): number => Math.floor(limit / 3);

export interface PipelineWithStores {
  readonly ports: PipelinePorts;
  readonly limitsStatus: LimitsStatus;
  /** What the budgets are counted in. */
  readonly budgetStore: BudgetStore;
  /** Counts for sidecars; a sidecar does not. */
  readonly countersServer: CountersServer | undefined;
  /** Takes rows of the request log from sidecars, where this gateway keeps one. */
  readonly recordsServer: RecordsServer | undefined;
  /** Ends the connections to providers and stores. */
  close(): Promise<void>;
}

export function createPipelinePorts(settings: GatewaySettings, options: PipelinePortOptions): PipelineWithStores {
  const { state = createMemoryState(settings), variables, metrics, logger, budget, snapshots, recorder } = options;
  const { limits } = settings;
  const now = Date.now;
  const hosts = hostPolicyOf(settings);
  const client = options.client ?? openClient(settings, hosts);
  const fleet = openFleetPort(settings, snapshots);
  const counted = { ...state, budgetStore: options.budgetStore ?? state.budgetStore };
  const stores = createStores(settings, { state: counted, fleet: fleet.counters, now, metrics, logger });
  const unsubscribe = snapshots.onChange(stores.fleetChanged);
  const tokens = createTokens({ snapshots, client, budget, metrics, logger });
  const counters = countersOf(stores, metrics);
  const isSidecar = fleet.counters !== undefined;
  const regexTurn = createRegexScheduler();
  const maxResponseBytes = Math.min(limits.maxResponseBytes, largestPart(budget));
  const services = { client, limits, env: createEnvReader(variables), now };
  const guardrails = guardrailPortsOf(services, {
    ...{ regexTurn, json: limits.json, maxHeldBytes: maxResponseBytes },
    ...{ budget, metrics, recorder },
    ask: createAskModel(() => ports.attempts),
  });
  const batches = options.batches ?? withoutBatches('it has no store for them');
  const ports: PipelinePorts = {
    ...counters,
    ...{ ownResources: batches, ingest: options.ingest ?? withoutIngest },
    concurrency: state.concurrency,
    resolver: resolverOf(settings, hosts),
    attempts: {
      adapters: createAdapters(ADAPTERS),
      ...{ client, upgrades: client, limits, connectTimeoutMs: limits.connectTimeoutMs },
      ...{ maxResponseBytes, json: limits.json, providers: PROVIDERS, hosts },
      servicesFor: createProviderServices(services),
      cache: stores.cache,
      semantic: semanticCacheOf(stores.vectors, settings, () => ports.attempts),
      ...{ guardrails, ...batchPortsOf(batches, stores) },
      ...checksOf(settings, guardrails),
      needsStreamUsage: recorder.needsStreamUsage,
      ...counters,
      gatewayName: gatewayPseudonym(settings.fleetId ?? randomUUID()),
      sleep,
      now,
    },
    sessions: stores.sessions,
    breakers: stores.breakers,
    ...{ capture: captureOf(options), keepsRows: () => options.requestLog?.isKept() ?? false },
    maxCalls: limits.maxCalls,
    regexTurn,
    sidecarProfile: settings.sidecarProfile,
    fleet: fleet.port,
    tokens: tokens.tokens,
    random: Math.random,
    now,
  };
  return {
    ports,
    ...{ limitsStatus: stores.limitsStatus, budgetStore: stores.budgetStore },
    countersServer: isSidecar ? undefined : createCountersServer({ ...stores, ...counters, ...tokens, snapshots, now }),
    recordsServer: isSidecar ? undefined : recordsServerOf(options, tokens),
    close: async () => {
      unsubscribe();
      tokens.close();
      guardrails.watch.close();
      await Promise.all([client.close(), stores.close()]);
      await fleet.close(); // after the last totals of budgets
    },
  };
}

const batchPortsOf = (batches: Batches, { rowMarks }: Pick<Stores, 'rowMarks'>) => ({
  ownResources: batches,
  followed: batches.followed,
  rowMarks: batches.rowMarks(rowMarks),
});

function captureOf({
  maxBodyBytes = 0,
  showsBodies = false,
  requestLog,
  budget,
}: PipelinePortOptions): PipelinePorts['capture'] {
  if (maxBodyBytes === 0) return undefined;
  return {
    maxBodyBytes,
    keepsBodies: () => requestLog?.isKept() ?? false,
    showsBodies: ({ span }) => showsBodies && span?.sampled === true,
    openMemory: budget.open,
  };
}

function recordsServerOf(
  { requestLog, maxBodyBytes = 0, snapshots, metrics }: PipelinePortOptions,
  { tokens }: Pick<PipelinePorts, 'tokens'>,
): RecordsServer | undefined {
  if (requestLog === undefined) return undefined;
  return createRecordsServer({
    ...{ log: requestLog, maxBodyBytes, snapshots, tokens, now: Date.now },
    onRows: (result, rows) => metrics.sidecarLogRows.add({ result }, rows),
  });
}

const checksOf = ({ inspectStreamForOverload }: GatewaySettings, guardrails: GuardrailPorts) => ({
  inputChecks: [createRequestHooks(guardrails)],
  answerChecks: [createOverloadCheck(inspectStreamForOverload), createAnswerHooks(guardrails)],
});

const semanticCacheOf = (
  vectors: VectorStore,
  { cache: { vectorDimensions: dimensions } }: Pick<GatewaySettings, 'cache'>,
  attempts: () => AttemptPorts,
): AttemptPorts['semantic'] => ({
  vectors,
  embed: createEmbedPrompt({ attempts, dimensions, now: Date.now }),
});

type GuardrailPortOptions = Pick<GuardrailPorts, 'regexTurn' | 'json' | 'maxHeldBytes' | 'ask'> &
  Pick<PipelinePortOptions, 'budget' | 'metrics' | 'recorder'>;

const guardrailPortsOf = (
  services: ServicesOptions,
  { budget, metrics, recorder, ...options }: GuardrailPortOptions,
): GuardrailPorts => {
  const ports = {
    ...options,
    servicesFor: createProviderServices(services),
    openMemory: () => budget.open(),
    now: services.now,
    random: Math.random,
  };
  const watch = createGuardrailWatch({
    ports,
    onEnd: recorder.watched,
    onDropped: ({ workspace, chosenBy }) => metrics.guardrailsDropped.add({ workspace, chosen_by: chosenBy }),
  });
  return { ...ports, watch };
};

const resolverOf = ({ caps, savedConfigsOnly }: GatewaySettings, hosts: HostPolicy): PipelinePorts['resolver'] =>
  createResolver({ providers: PROVIDERS, hosts, caps, savedConfigsOnly });

const countersOf = ({ limiter, budgets }: Pick<PipelinePorts, 'limiter' | 'budgets'>, metrics: Metrics) => ({
  limiter,
  budgets,
  buckets: createBuckets({ onOverflow: (policy) => metrics.policyOverflow.add({ policy }) }),
});

/** Resolves after the time; rejects with the reason of the signal. */
function sleep(ms: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onCancel = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.offCancel(onCancel);
      resolve();
    }, ms);
    signal.onCancel(onCancel);
  });
}
