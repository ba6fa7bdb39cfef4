/** What guardrails take proxied calls for: docs/behaviour/guardrails.md#proxied-calls. */
import type { RequestType } from '../../../guardrails/index.ts';
import type { CheckedSource } from '../operation.ts';
import { providerPath } from './handler.ts';

/** By the path below the base URL, which may end before its `/v1`. */
const CREATED: ReadonlyMap<string, RequestType> = new Map([
  ['/batches', 'createBatch'],
  ['/v1/batches', 'createBatch'],
  ['/fine_tuning/jobs', 'createFinetune'],
  ['/v1/fine_tuning/jobs', 'createFinetune'],
]);

/** Undefined for calls that read: guardrails do not look at them. */
export function proxiedAs({ method, path }: CheckedSource): RequestType | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method !== 'POST') return 'proxy';
  const below = providerPath(path);
  return CREATED.get(below.endsWith('/') ? below.slice(0, -1) : below) ?? 'proxy';
}
