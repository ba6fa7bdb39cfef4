/** Files and batches of the gateway's own, where it has stores for them. */
import {
  type Batches,
  type BatchesOptions,
  type BatchTiming,
  createBatches,
  headersRequest,
  isMissingProvider,
  withoutBatches,
} from '../batches/index.ts';
import { type BudgetStore, type Budgets, createOnceCharges } from '../budgets/index.ts';
import type { GatewaySettings, Variables } from '../config/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { Drain } from '../listener/index.ts';
import { OPERATIONS, type Pipeline, type PipelinePorts, planRow, type SpanRules } from '../pipeline/index.ts';
import type { Recorder } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { openBatchStores } from './batch-stores.ts';
import { largestPart } from './pipeline-ports.ts';

interface BatchParts {
  readonly variables: Variables;
  readonly pipeline: () => Pipeline;
  readonly ports: () => Pick<PipelinePorts, 'resolver' | 'attempts'>;
  readonly recorder: Recorder;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  readonly budget: ByteBudget;
  readonly drain: Drain;
  /** The budgets of this gateway, and what they are counted in. */
  readonly counted: () => { readonly budgets: Pick<Budgets, 'follow'>; readonly store: BudgetStore };
  readonly timing: Partial<BatchTiming> | undefined;
  readonly spans: SpanRules | undefined;
  readonly logger: Logger;
}

const NO_HEADERS: ReadonlySet<string> = new Set();

export function openBatches(settings: GatewaySettings, parts: BatchParts): Batches {
  const { recorder, snapshots, budget, drain, spans, logger } = parts;
  const { batches, limits } = settings;
  const stores = openBatchStores(settings, parts.variables);
  if (typeof stores === 'string') return withoutBatches(stores);
  return createBatches({
    ...stores,
    settings: batches,
    json: limits.json,
    pipeline: { handle: (exchange) => parts.pipeline().handle(exchange) },
    checkHeaders: headerCheck(parts),
    openCharges: chargesOf(parts),
    planRow: (exchange, caller) => planRow(parts.ports(), exchange, caller),
    ...(parts.timing === undefined ? {} : { timing: parts.timing }),
    ...{ recorder, snapshots, spans, logger, inFlight: drain.inFlight },
    maxResponseBytes: Math.min(limits.maxResponseBytes, largestPart(budget)),
    openMemory: () => budget.open(),
    now: Date.now,
  });
}

/** Of a batch at a provider: told to the counters themselves, which this process then asks. */
const chargesOf =
  ({ counted }: Pick<BatchParts, 'counted'>): BatchesOptions['openCharges'] =>
  (name, tryNumber) => {
    const { budgets, store } = counted();
    const charges = createOnceCharges({ store, name, tryNumber });
    return {
      budgets: charges.budgets,
      tell: async () => {
        const told = await charges.tell();
        for (const budget of told || []) budgets.follow(budget, Number.NaN, Date.now());
        return told !== false;
      },
    };
  };

/** Rows may name accounts in their models, so that headers without one are good. */
const headerCheck =
  ({ ports }: Pick<BatchParts, 'ports'>): BatchesOptions['checkHeaders'] =>
  (order, { exchange, caller }) => {
    const request = headersRequest(order);
    const asKey = { ...caller, credential: undefined, keyHeaders: NO_HEADERS };
    const body = { kind: 'json', bytes: Buffer.from('{}'), value: {} } as const;
    try {
      ports().resolver.resolve({ ...exchange, request, operation: OPERATIONS.chatComplete }, asKey, body);
    } catch (error) {
      if (!isMissingProvider(error)) throw error;
    }
  };
