/** What the pipeline needs of the process: limits, stores, the upstream client, randomness and the clock. */
import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { gatewayPseudonym } from '@gatehouse/crds/hosts';
import { type BudgetStore, createBuckets } from '../budgets/index.ts';
import { createEnvReader, DEFAULTS, type GatewaySettings, type Variables } from '../config/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import { createRegexScheduler } from '../lib/regex.ts';
import type { LimitsState } from '../limits/index.ts';
import {
  ADAPTERS,
  createAdapters,
  createOverloadCheck,
  createResolver,
  type PipelinePorts,
} from '../pipeline/index.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createProviderServices } from '../providers/services.ts';
import type { Recorder } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { createHostPolicy } from '../upstream/host-guard/index.ts';
import { createUpstreamClient } from '../upstream/index.ts';
import { openFleetPort } from './fleet-port.ts';
import { createMemoryState, type SharedState } from './shared-state.ts';
import { createStores } from './stores.ts';
import { createTokens } from './token-ports.ts';

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
  readonly recorder: Pick<Recorder, 'needsStreamUsage'>;
}

/** The largest body or answer: beside it there must be room for its parsed value and for what is written from it. */
export const largestPart = ({ limit }: ByteBudget): number => Math.floor(limit / 3);

export interface PipelineWithStores {
  readonly ports: PipelinePorts;
  /** Undefined where limits are counted by this machine alone, by intent. */
  limitsState(): LimitsState | undefined;
  /** Ends the connections to providers and stores. */
  close(): Promise<void>;
}

export function createPipelinePorts(
  settings: GatewaySettings,
  {
    state = createMemoryState(settings),
    budgetStore = state.budgetStore,
    variables,
    metrics,
    logger,
    budget,
    snapshots,
    recorder,
  }: PipelinePortOptions,
): PipelineWithStores {
  const { limits, listen: own } = settings;
  const now = Date.now;
  const hosts = createHostPolicy({
    trustedCustomHosts: settings.trustedCustomHosts,
    production: settings.production,
    ownAddresses: ownListeners([own.port, own.adminPort]),
    ...(settings.apiServer === undefined ? {} : { apiServer: settings.apiServer }),
    ownNamespaces: settings.ownNamespaces,
  });
  const client = createUpstreamClient({
    hosts,
    connectTimeoutMs: limits.connectTimeoutMs,
    connectionsPerOrigin: limits.connectionsPerOrigin,
    keepAliveMs: DEFAULTS.upstreamKeepAliveMs,
    ca: settings.ca,
    proxy: settings.proxy,
  });
  const stores = createStores(settings, { state: { ...state, budgetStore }, now, metrics, logger });
  const tokens = createTokens({ snapshots, client, budget, metrics, logger });
  const { concurrency } = state;
  const fleet = openFleetPort(settings);
  const counters = countersOf(stores, metrics);
  const ports: PipelinePorts = {
    ...counters,
    concurrency,
    resolver: createResolver({
      providers: PROVIDERS,
      hosts,
      caps: settings.caps,
      savedConfigsOnly: settings.savedConfigsOnly,
    }),
    attempts: {
      adapters: createAdapters(ADAPTERS),
      client,
      limits,
      maxResponseBytes: Math.min(limits.maxResponseBytes, largestPart(budget)),
      json: limits.json,
      providers: PROVIDERS,
      hosts,
      servicesFor: createProviderServices({ client, limits, env: createEnvReader(variables), now }),
      cache: stores.cache,
      inputChecks: [],
      answerChecks: [createOverloadCheck(settings.inspectStreamForOverload)],
      needsStreamUsage: recorder.needsStreamUsage,
      ...counters,
      gatewayName: gatewayPseudonym(settings.fleetId ?? randomUUID()),
      sleep,
      now,
    },
    sessions: stores.sessions,
    breakers: stores.breakers,
    maxCalls: limits.maxCalls,
    regexTurn: createRegexScheduler(),
    sidecarProfile: settings.sidecarProfile,
    fleet: fleet.port,
    tokens: tokens.tokens,
    random: Math.random,
    now,
  };
  return {
    ports,
    limitsState: stores.limitsState,
    close: async () => {
      tokens.close();
      await Promise.all([fleet.close(), client.close(), stores.close()]);
    },
  };
}

const countersOf = ({ limiter, budgets }: Pick<PipelinePorts, 'limiter' | 'budgets'>, metrics: Metrics) => ({
  limiter,
  budgets,
  buckets: createBuckets({ onOverflow: (policy) => metrics.policyOverflow.add({ policy }) }),
});

/** The addresses under which this machine reaches our own listeners; a port of 0 (tests) is not known yet. */
function ownListeners(ports: readonly number[]): { readonly address: string; readonly port: number }[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
  const listening = ports.filter((port) => port > 0);
  return ['127.0.0.1', ...addresses].flatMap((address) => listening.map((port) => ({ address, port })));
}

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
