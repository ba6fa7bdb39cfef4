/** The operations that rows of a batch may call: one JSON object in, one out. */
import { OPERATIONS, type Operation } from '../pipeline/index.ts';

const CALLED: readonly Operation[] = [
  OPERATIONS.chatComplete,
  OPERATIONS.complete,
  OPERATIONS.embed,
  OPERATIONS.createModelResponse,
  OPERATIONS.messages,
  OPERATIONS.moderate,
  OPERATIONS.rerank,
];

/** By their paths. */
export const BATCH_ENDPOINTS: ReadonlyMap<string, Operation> = new Map(
  CALLED.map((operation) => [operation.routes[0]?.path ?? '', operation]),
);
