import {
  ApiError,
  type Clock,
  createBackoff,
  hasReason,
  type KindRef,
  type KubeClient,
  type Log,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { bundleOf, type CertificateSecret, renew, toData, toMaterial } from './material.ts';
import type { Lifetimes, Material } from './plan.ts';

/** What a server shows, and what its clients trust. */
export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** One or more authorities. */
  readonly caPem: string;
}

/** The certificate of now. */
export interface Certificates extends AsyncDisposable {
  readonly current: ServingCertificate;
  /** Called after every change. */
  subscribe(listener: (certificate: ServingCertificate) => void): Disposable;
}

export interface CertificatesOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  /** Where the Secret is: the operator's own namespace. */
  readonly namespace: string;
  /** Default `gatehouse-webhook-certificate`. */
  readonly secretName?: string;
  /** `external`: somebody else, such as cert-manager, writes the Secret; it is read only. Default `self`. */
  readonly managedBy?: 'self' | 'external';
  /** Host names and IP addresses the operator is reached by, the most telling first. */
  readonly names: readonly string[];
  readonly lifetimes?: Lifetimes;
  readonly log: Log;
  /** Ends the waiting for a first certificate. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export const SECRETS: KindRef<CertificateSecret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

export const CERTIFICATE_SECRET = 'gatehouse-webhook-certificate';

const DAY_MS = 86_400_000;
/** Engineering 8.9. */
const LIFETIMES: Lifetimes = { authorityMs: 3_650 * DAY_MS, leafMs: 90 * DAY_MS, settleMs: DAY_MS };
/** How soon a replica takes over what another one has renewed; the old certificate is good for weeks then. */
const LOOK_AGAIN_MS = 60_000;
const RETRY = { minMs: 500, maxMs: 30_000 };

/**
 * Keeps a serving certificate in a Secret that whichever replica comes first makes, and renews it in time (engineering 8.9).
 * Resolves when there is one; rejects with the signal's reason. Dispose it to stop.
 */
export async function startCertificates(options: CertificatesOptions): Promise<Certificates> {
  const { log, clock = systemClock, random = Math.random } = options;
  const stop = new AbortController();
  const listeners = new Set<(certificate: ServingCertificate) => void>();
  const backoff = createBackoff(RETRY, random);
  let current: ServingCertificate | undefined;

  const take = (next: ServingCertificate): void => {
    if (isSame(next, current)) return;
    current = next;
    log.info({ secret: options.secretName ?? CERTIFICATE_SECRET }, 'Took a serving certificate');
    for (const listener of listeners) listener(next);
  };
  /** Gives the time until the next look, in ms. */
  const look = async (signal: AbortSignal): Promise<number> => {
    try {
      const { material, dueMs } = await bringUpToDate(options, signal);
      const next = toServing(material);
      if (next === undefined) return backoff.next();
      backoff.reset();
      take(next);
      return Math.max(0, Math.min(LOOK_AGAIN_MS, dueMs - clock.wallMs()));
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = error instanceof ApiError ? error.reason : 'Other';
      log.warn({ reason }, 'Could not tend the serving certificate');
      return backoff.next();
    }
  };
  const keepLooking = async (delayMs: number): Promise<void> => {
    const { signal } = stop;
    for (let nextMs = delayMs; !signal.aborted; ) {
      try {
        await sleep(nextMs, { signal, clock });
        nextMs = await look(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  };

  let delayMs = await look(options.signal);
  while (current === undefined) {
    await sleep(delayMs, { signal: options.signal, clock });
    delayMs = await look(options.signal);
  }
  const first = current;
  const looking = keepLooking(delayMs);
  return {
    get current() {
      return current ?? first;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('closed'));
      await looking;
    },
  };
}

interface UpToDate {
  readonly material: Material;
  readonly dueMs: number;
}

/** Somebody else may be writing at the same time: whoever is second takes what the first has written. */
async function bringUpToDate(options: CertificatesOptions, signal: AbortSignal): Promise<UpToDate> {
  const {
    client,
    namespace,
    names,
    secretName = CERTIFICATE_SECRET,
    lifetimes = LIFETIMES,
    clock = systemClock,
  } = options;
  const name = { namespace, name: secretName };
  const secret = await client.get(SECRETS, name, { signal }).catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  });
  const found = toMaterial(secret ?? {});
  if (options.managedBy === 'external') return { material: found, dueMs: Number.POSITIVE_INFINITY };
  const { material, changed, dueMs } = await renew({ material: found, names, lifetimes, nowMs: clock.wallMs() });
  if (!changed) return { material, dueMs };
  const write = { signal, fieldManager: 'gatehouse-operator' };
  const data = toData(material);
  if (secret === undefined) {
    const labels = { 'app.kubernetes.io/part-of': 'gatehouse', 'app.kubernetes.io/managed-by': 'gatehouse-operator' };
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { ...name, labels }, data }, write);
  } else await client.update(SECRETS, { ...secret, data }, write);
  return { material, dueMs };
}

function toServing({ authorities, leaf }: Material): ServingCertificate | undefined {
  return leaf === undefined ? undefined : { ...leaf, caPem: bundleOf(authorities) };
}

const isSame = (a: ServingCertificate, b: ServingCertificate | undefined): boolean =>
  a.certPem === b?.certPem && a.caPem === b.caPem;

/** TLS settings of a server that shows this certificate. */
export const tlsOf = ({ certPem, keyPem }: ServingCertificate) => ({
  cert: certPem,
  key: keyPem,
  minVersion: 'TLSv1.2' as const,
});
