/** Ends sidecars before an uninstallation: annotates the lease, and waits until the mounted copies are gone. */
import {
  COPY_CONFIG_MAPS,
  COPY_SECRETS,
  isOurs,
  SIDECAR_COPY,
  type SidecarCopy,
} from '../kinds/sidecar-profile/index.ts';
import {
  type Clock,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
  LEASES,
  type Log,
  type ObjectName,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { kindRefOf } from '../world/index.ts';
import { withRetiredUntil } from './mark.ts';

export interface RetireOptions {
  readonly client: Pick<KubeClient, 'get' | 'update' | 'list' | 'delete'>;
  /** The namespace of the lease by which replicas elect their leader. */
  readonly namespace: string;
  readonly leaseName: string;
  /** Namespaces with SidecarProfiles that the operator watches. */
  readonly namespaces: 'all' | ReadonlySet<string>;
  readonly log: Log;
  /** Ends the run: whatever is left then is reported. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly timing?: RetireTiming;
}

export interface RetireTiming {
  /** How long running operators leave sidecars without a Snapshot. */
  readonly holdsMs: number;
  /** How long the leader has to remove the copies before this program does. */
  readonly leaderMs: number;
  /** How long every replica has to update its streams. */
  readonly streamsMs: number;
  readonly pollMs: number;
}

/** A leader that was killed is replaced within 7.5 s. */
const TIMING: RetireTiming = { holdsMs: 600_000, leaderMs: 12_000, streamsMs: 3_000, pollMs: 500 };
const PAGE_SIZE = 500;
const AT_ONCE = 10;

/** Namespaces that still have a copy at the end; none: every connected sidecar has stopped serving. */
export async function retire(options: RetireOptions): Promise<readonly string[]> {
  const { log, signal, clock = systemClock, timing = TIMING } = options;
  const startedMs = clock.monotonicMs();
  const passedMs = (): number => clock.monotonicMs() - startedMs;
  const pause = (ms: number): Promise<unknown> => sleep(ms, { signal, clock }).catch(() => undefined);
  await mark(options, clock.wallMs() + timing.holdsMs, pause);
  let left = await namespacesOf(options);
  log.info({ namespaces: left.length }, 'Sidecars are retired');
  while (!signal.aborted) {
    left = await stillCopied(options, left, passedMs() > timing.leaderMs);
    if (left.length === 0) break;
    await pause(timing.pollMs);
  }
  if (left.length === 0) await pause(Math.max(0, timing.streamsMs - passedMs()));
  else log.error({ namespaces: left }, 'Copies for sidecars are left');
  return left;
}

/** The leader renews the lease at the same time, so that some writes conflict. */
async function mark(
  { client, namespace, leaseName, signal, log, timing = TIMING }: RetireOptions,
  untilMs: number,
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (; !signal.aborted; await pause(timing.pollMs)) {
    try {
      const lease = await client.get(LEASES, { namespace, name: leaseName }, { signal });
      await client.update(LEASES, withRetiredUntil(lease, untilMs), { signal });
      return;
    } catch (error) {
      if (hasReason(error, 'NotFound')) {
        log.warn({ lease: leaseName }, 'There is no lease: no operator has run');
        return;
      }
      if (!hasReason(error, 'Conflict')) throw error;
    }
  }
}

async function namespacesOf({ client, namespaces, signal }: RetireOptions): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const namespace of namespaces === 'all' ? [undefined] : namespaces) {
    let continueToken: string | undefined;
    do {
      const page: { continueToken: string | undefined; items: readonly KubeObject[] } = await client
        .list(kindRefOf('SidecarProfile'), { namespace, limit: PAGE_SIZE, continueToken, signal })
        .catch(ifGone({ items: [], continueToken: undefined }));
      for (const { metadata } of page.items) found.add(metadata.namespace ?? '');
      ({ continueToken } = page);
    } while (continueToken !== undefined);
  }
  return [...found];
}

/** Namespaces that have a copy, or had one that was removed just now; one that cannot be read counts. */
async function stillCopied(
  options: RetireOptions,
  namespaces: readonly string[],
  removes: boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let first = 0; first < namespaces.length; first += AT_ONCE) {
    const some = namespaces.slice(first, first + AT_ONCE).map(async (namespace) => {
      const has = await hasCopy(options, namespace, removes).catch((error: unknown) => {
        if (!options.signal.aborted) options.log.warn({ namespace, err: error }, 'A copy for sidecars cannot be read');
        return true;
      });
      if (has) found.push(namespace);
    });
    await Promise.all(some);
  }
  return found.sort();
}

/** Credentials go first. */
async function hasCopy(options: RetireOptions, namespace: string, removes: boolean): Promise<boolean> {
  const name = { namespace, name: SIDECAR_COPY };
  let found = false;
  for (const kind of [COPY_SECRETS, COPY_CONFIG_MAPS]) {
    const copy = await read(options, kind, name);
    if (copy === undefined || !isOurs(copy)) continue;
    found = true;
    if (removes) await remove(options, kind, copy);
  }
  return found;
}

/** Undefined also where the operator has no right to read it: then it has written none. */
const read = ({ client, signal }: RetireOptions, kind: KindRef<SidecarCopy>, name: ObjectName) =>
  client.get(kind, name, { signal }).catch((error: unknown) => {
    if (hasReason(error, 'NotFound', 'Forbidden')) return undefined;
    throw error;
  });

/** A copy that could not be removed is found again with the next look. */
async function remove({ client, signal, log }: RetireOptions, kind: KindRef, { metadata }: SidecarCopy): Promise<void> {
  const { namespace, uid } = metadata;
  await client.delete(kind, metadata, { uid, signal }).catch((error: unknown) => {
    if (!hasReason(error, 'NotFound')) log.warn({ namespace, kind: kind.kind, err: error }, 'A copy is not removed');
  });
}

const ifGone =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (hasReason(error, 'NotFound')) return instead;
    throw error;
  };
