/** What a call that creates a batch leaves behind. */
import { isObject, parseJson } from '@gatehouse/crds';
import { isCredentialHeader } from '../../lib/header-names.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';
import type { ClientRequest } from '../exchange.ts';
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
  const clean = scrubberOf(input.exchange.request);
  await ports.followed.add({
    ...{ account: managed.id, batch, slug: managed.slug, workspace: input.caller.workspace.name },
    key: { id, name, user },
    config: owner === 'client' ? undefined : slug,
    metadata: cleaned(resolution.metadata, clean),
    traceId: clean.text(input.exchange.trace.traceId),
  });
}

const SCHEME = /^[a-z][\w-]*\s+(?=\S)/i;
/** Shorter values may be ordinary words. */
const MIN_CREDENTIAL = 8;

/** Takes out the credentials of the request: the record of the output is made without its headers. */
function scrubberOf(request: ClientRequest): Scrubber {
  const values = [...request.headers()].flatMap(([name, value]) =>
    isCredentialHeader(name) ? [value.replace(SCHEME, '').trim()] : [],
  );
  return compileScrubber(
    values.filter(({ length }) => length >= MIN_CREDENTIAL),
    'passing',
  );
}

type Metadata = Readonly<Record<string, unknown>>;

function cleaned(metadata: Metadata, { text }: Scrubber): Metadata {
  try {
    const value = parseJson(text(JSON.stringify(metadata)));
    return isObject(value) ? value : {};
  } catch {
    return {}; // a credential was more than a part of a text
  }
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
