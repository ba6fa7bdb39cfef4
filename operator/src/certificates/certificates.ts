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

/** The certificate of a server, and the authorities that its clients trust. */
export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** One or more authorities. */
  readonly caPem: string;
}

/** The current certificate. */
export interface Certificates extends AsyncDisposable {
  readonly current: ServingCertificate;
  /** Called after every change. */
  subscribe(listener: (certificate: ServingCertificate) => void): Disposable;
}

export interface CertificatesOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  /** The namespace of the Secret: the operator's own. */
  readonly namespace: string;
  /** Default `gatehouse-webhook-certificate`. */
  readonly secretName?: string;
  /**
   * `external`: something else, such as cert-manager, writes the Secret, and the operator only reads it. Default `self`.
   */
  readonly managedBy?: 'self' | 'external';
  /** Host names and IP addresses of the operator's servers; the first one becomes the common name. */
  readonly names: readonly string[];
  readonly lifetimes?: Lifetimes;
  readonly log: Log;
  /** Ends the wait for a first certificate. */
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
/** For the management API, which mounts it. */
export const MANAGEMENT_CERTIFICATE_SECRET = 'gatehouse-management-certificate';

const DAY_MS = 86_400_000;
/** Authorities sign much longer than certificates live, and a certificate is renewed with a third of its life left. */
const LIFETIMES: Lifetimes = { authorityMs: 3_650 * DAY_MS, leafMs: 90 * DAY_MS, settleMs: DAY_MS };
/** How soon a replica uses what another one has renewed; the old certificate is valid for weeks then. */
const LOOK_AGAIN_MS = 60_000;
const RETRY = { minMs: 500, maxMs: 30_000 };

/**
 * Keeps a serving certificate in a Secret, which the first replica creates, and renews it in time. Resolves when there is one;
 * rejects with the reason of the signal. Dispose it to stop.
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
  /** Returns the time until the next look, in ms. */
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

/** Another replica may write at the same time: the second one uses what the first one has written. */
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

/** TLS settings of a server with this certificate. */
export const tlsOf = ({ certPem, keyPem }: ServingCertificate) => ({
  cert: certPem,
  key: keyPem,
  minVersion: 'TLSv1.2' as const,
});
