/** Files and batches of the gateway's own, where it has stores for them. */
import {
  type Batches,
  type BatchesOptions,
  createBatches,
  headersRequest,
  isMissingProvider,
  withoutBatches,
} from '../batches/index.ts';
import type { GatewaySettings, Variables } from '../config/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { Drain } from '../listener/index.ts';
import { OPERATIONS, type Pipeline, type PipelinePorts, type SpanRules } from '../pipeline/index.ts';
import type { Recorder } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { openBatchStores } from './batch-stores.ts';
import { largestPart } from './pipeline-ports.ts';

interface BatchParts {
  readonly variables: Variables;
  readonly pipeline: () => Pipeline;
  readonly resolver: () => PipelinePorts['resolver'];
  readonly recorder: Recorder;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
  readonly budget: ByteBudget;
  readonly drain: Drain;
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
    ...{ recorder, snapshots, spans, logger, inFlight: drain.inFlight },
    maxResponseBytes: Math.min(limits.maxResponseBytes, largestPart(budget)),
    openMemory: () => budget.open(),
    now: Date.now,
  });
}

/** Rows may name accounts in their models, so that headers without one are good. */
const headerCheck =
  ({ resolver }: Pick<BatchParts, 'resolver'>): BatchesOptions['checkHeaders'] =>
  (order, { exchange, caller }) => {
    const request = headersRequest(order);
    const asKey = { ...caller, credential: undefined, keyHeaders: NO_HEADERS };
    const body = { kind: 'json', bytes: Buffer.from('{}'), value: {} } as const;
    try {
      resolver().resolve({ ...exchange, request, operation: OPERATIONS.chatComplete }, asKey, body);
    } catch (error) {
      if (!isMissingProvider(error)) throw error;
    }
  };
