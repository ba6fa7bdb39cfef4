/** Files and batches of the gateway's own, where it has stores for them. */
import { join } from 'node:path';
import {
  type Batches,
  createBatches,
  createJobFolder,
  createObjectFolder,
  headersRequest,
  isMissingProvider,
  withoutBatches,
} from '../batches/index.ts';
import type { GatewaySettings } from '../config/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { Drain } from '../listener/index.ts';
import { OPERATIONS, type Pipeline, type PipelinePorts, type SpanRules } from '../pipeline/index.ts';
import type { Recorder } from '../record/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { largestPart } from './pipeline-ports.ts';

interface BatchParts {
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

export function openBatches({ batches, limits, sidecarProfile }: GatewaySettings, parts: BatchParts): Batches {
  const { recorder, snapshots, budget, drain, spans, logger } = parts;
  if (sidecarProfile !== undefined)
    return withoutBatches('sidecars have none, their fleet may: send the request there');
  const { folder } = batches;
  if (folder === undefined) return withoutBatches(`it has no store for them (GATEHOUSE_BATCH_DIR)`);
  return createBatches({
    settings: batches,
    objects: createObjectFolder(join(folder, 'objects')),
    jobs: createJobFolder(join(folder, 'jobs')),
    json: limits.json,
    pipeline: { handle: (exchange) => parts.pipeline().handle(exchange) },
    checkHeaders: (order, { exchange, caller }) => {
      const request = headersRequest(order);
      const asKey = { ...caller, credential: undefined, keyHeaders: NO_HEADERS };
      const body = { kind: 'json', bytes: Buffer.from('{}'), value: {} } as const;
      try {
        parts.resolver().resolve({ ...exchange, request, operation: OPERATIONS.chatComplete }, asKey, body);
      } catch (error) {
        if (!isMissingProvider(error)) throw error; // rows may name accounts in their models
      }
    },
    ...{ recorder, snapshots, spans, logger, inFlight: drain.inFlight },
    maxResponseBytes: Math.min(limits.maxResponseBytes, largestPart(budget)),
    openMemory: () => budget.open(),
    now: Date.now,
  });
}
