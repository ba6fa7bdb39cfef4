/** A request of a client of another API as one of the operation. */
import { memoryExhausted } from '../../errors/index.ts';
import { writeJson } from '../../lib/json/index.ts';
import type { Exchange, RequestBody } from '../exchange.ts';
import type { Entered } from './door.ts';

export interface EnteredRequest {
  readonly entered: Entered;
  readonly body: RequestBody;
}

/** Undefined: the operation has no door. Throws what its door throws. */
export function enterDoor(exchange: Exchange, body: RequestBody, now: () => number): EnteredRequest | undefined {
  const { operation, request, memory, startedMs } = exchange;
  if (operation.door === undefined) return undefined;
  const context = { query: request.query, now, elapsedMs: () => performance.now() - startedMs };
  const entered = operation.door.enter(body.kind === 'json' ? body.value : {}, context);
  if (body.kind !== 'json') return { entered, body };
  const bytes = writeJson(entered.params);
  if (!memory.take(bytes.length)) throw memoryExhausted();
  return { entered, body: { kind: 'json', bytes, value: entered.params } };
}
