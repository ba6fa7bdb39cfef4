/** The certificate of the management API in files, which a kubelet replaces when the operator renews it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Clock, type Log, sleep } from '../../runtime/index.ts';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A kubelet needs a minute anyway. */
const LOOK_MS = 30_000;

/** Rejects when one of the files cannot be read. */
export async function readKeyPair(folder: string): Promise<KeyPair> {
  const [cert = '', key = ''] = await Promise.all(
    ['tls.crt', 'tls.key'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { cert, key };
}

export interface FollowOptions {
  readonly folder: string;
  readonly served: KeyPair;
  readonly apply: (pair: KeyPair) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Applies each new pair that is one, until the signal ends; never rejects. */
export async function followKeyPair(
  { folder, served, apply, clock, log }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  let current = served;
  while (!signal.aborted) {
    await sleep(LOOK_MS, { signal, clock }).catch(() => {}); // the signal ends the loop
    if (signal.aborted) return;
    try {
      const next = await readKeyPair(folder);
      if (next.cert === current.cert && next.key === current.key) continue;
      createSecureContext(next); // throws for files of two pairs
      apply(next);
      current = next;
      log.info({ folder }, 'TLS certificate replaced');
    } catch (error) {
      log.warn({ err: error, folder }, 'TLS certificate could not be replaced, the last good one keeps serving');
    }
  }
}
