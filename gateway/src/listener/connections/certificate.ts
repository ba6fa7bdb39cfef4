/** Follows the files of a TLS certificate, e.g. a mounted Secret of Kubernetes. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { TlsSettings } from '../../config/index.ts';

interface Log {
  info(fields: object, line: string): void;
  error(fields: object, line: string): void;
}

type KeyPair = Pick<TlsSettings, 'key' | 'cert'>;

export interface CertificateFollowerOptions {
  readonly files: NonNullable<TlsSettings['files']>;
  readonly served: KeyPair;
  /** Uses the pair for connections that open from now on. */
  readonly apply: (pair: KeyPair) => void;
  readonly logger: Log;
  readonly everyMs: number;
}

export interface CertificateFollower {
  start(): void;
  stop(): void;
}

/**
 * Reads the files again and again, since a mounted Secret is replaced by a new link: watching it would lose track. What cannot be
 * served, because a file is missing or key and certificate do not belong together, is logged once and not used.
 */
export function followCertificate(options: CertificateFollowerOptions): CertificateFollower {
  const check = createCheck(options);
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;
  const tick = (): void => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  };
  return {
    start: () => {
      timer ??= setInterval(tick, options.everyMs).unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** One look at the files; never rejects. */
export function createCheck({ files, served, apply, logger }: Omit<CertificateFollowerOptions, 'everyMs'>) {
  let current = textOf(served);
  /** What was wrong at the last look: files are replaced one after the other, so that the second look counts. */
  let failure = { text: '', isLogged: false };

  const fail = (text: string, error: unknown): void => {
    if (failure.text !== text) failure = { text, isLogged: false };
    else if (!failure.isLogged) {
      failure.isLogged = true;
      logger.error({ err: error, files }, 'TLS certificate could not be replaced, the last good one keeps serving');
    }
  };

  return async (): Promise<void> => {
    let pair: KeyPair;
    try {
      const [key, cert] = await Promise.all([readFile(files.key, 'utf8'), readFile(files.cert, 'utf8')]);
      pair = { key, cert };
    } catch (error) {
      fail('unreadable', error);
      return;
    }
    const text = textOf(pair);
    if (text === current) {
      failure = { text: '', isLogged: false };
      return;
    }
    try {
      refuseUnusable(pair);
      apply(pair);
    } catch (error) {
      fail(text, error);
      return;
    }
    current = text;
    failure = { text: '', isLogged: false };
    logger.info({ files }, 'TLS certificate replaced');
  };
}

/** When the first certificate of a chain expires, in seconds since 1970. */
export const expiryOf = (cert: string): number => new X509Certificate(cert).validToDate.getTime() / 1000;

/** Throws where a server could not serve the pair; of empty texts a context would be made without a certificate. */
function refuseUnusable({ key, cert }: KeyPair): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('The key does not belong to the certificate');
  }
  createSecureContext({ key, cert });
}

const textOf = ({ key, cert }: KeyPair): string => JSON.stringify([key, cert]);
