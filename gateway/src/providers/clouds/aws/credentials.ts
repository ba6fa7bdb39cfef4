import type { Secret } from '../../../lib/secret.ts';

/** A key pair that signs. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret | undefined;
  /** Unix time in ms; absent: no expiry. */
  readonly expiresAtMs?: number | undefined;
  /** The assumed role, if known. */
  readonly roleArn?: string | undefined;
}

/** An ISO time as unix ms; undefined when it is none. */
export function parseTime(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
