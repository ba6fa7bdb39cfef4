/** What a call that creates a batch leaves behind. */
import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { MappedAnswer } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import type { Prepared } from './prepare/index.ts';
import type { Tried } from './retries.ts';

/** Longest ids of batches, in characters: those of providers are below 300. */
const MAX_ID = 512;

/** Remembers the batch that the answer is about, where the call has created one at a stored account. Never rejects. */
export async function followBatch(
  ports: AttemptPorts,
  prepared: Prepared,
  { result }: Tried<MappedAnswer>,
): Promise<void> {
  if (prepared.operation.createsBatch !== true || result.kind === 'error' || result.answer.status !== 200) return;
  const { resolved, input, resolution } = prepared;
  const { managed } = resolved;
  const { body } = result.answer;
  // A host of the request is no part of the account: nobody would find the batch there.
  if (managed === undefined || body.kind !== 'bytes' || resolved.hostOrigin === 'request') return;
  const batch = idOf(body.bytes, ports.json);
  if (batch === undefined) return;
  const { id, name, user } = input.caller.key;
  const { slug, owner } = resolution.plan;
  await ports.followed.add({
    ...{ account: managed.id, batch, slug: managed.slug, workspace: input.caller.workspace.name },
    key: { id, name, user },
    config: owner === 'client' ? undefined : slug,
    metadata: resolution.metadata,
    traceId: input.exchange.trace.traceId,
  });
}

function idOf(bytes: Buffer, limits: JsonLimits): string | undefined {
  try {
    const value = readJson(bytes, limits);
    const id = isObject(value) ? value['id'] : undefined;
    return typeof id === 'string' && id !== '' && id.length <= MAX_ID ? id : undefined;
  } catch {
    return undefined;
  }
}
