/** The identity for a bucket of the deployment: docs/behaviour/request-logs.md#the-identity-for-a-bucket. */
import { type AwsRole, createLasting, err, ok, type Result } from '@gatehouse/crds';
import type { FetchProblem } from '../translate/index.ts';
import { type AwsCredentials, assumeRole, type Calling, tokenServiceOf } from './clouds/index.ts';
import { createOwnIdentity, type OwnIdentityOptions } from './own-identity.ts';

export interface StoreIdentityOptions extends OwnIdentityOptions {
  /** Unix time in ms. */
  now(): number;
}

export interface StoreIdentityCall extends Calling {
  readonly region: string;
  /** Undefined: the identity of the process. */
  readonly keys: Pick<AwsCredentials, 'accessKeyId' | 'secretAccessKey'> | undefined;
  /** Undefined: none is assumed. */
  readonly role: AwsRole | undefined;
}

/** By which clocks may differ, and a signed request may take until it is checked. */
const SKEW_MS = 5_000;
const RENEW_MS = 300_000;
const MARGIN_MS = 60_000;

class NoCredentials extends Error {
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Credentials for one bucket, whose calls name the same region, keys and role each time. Kept until shortly before they end. */
export function createStoreIdentity(
  options: StoreIdentityOptions,
): (call: StoreIdentityCall) => Promise<Result<AwsCredentials, FetchProblem>> {
  const { now } = options;
  const own = createOwnIdentity(options);
  let latest: StoreIdentityCall | undefined;
  const find = async (): Promise<AwsCredentials> => {
    if (latest === undefined) throw new NoCredentials('NoIdentity');
    const { keys, role, region, http } = latest;
    const signal = AbortSignal.timeout(TIMEOUT_MS); // waiting calls share it
    const base: Result<AwsCredentials, FetchProblem> =
      keys === undefined
        ? await own.awsCredentials({ region, http, signal })
        : ok({ ...keys, sessionToken: undefined });
    if (!base.ok) throw new NoCredentials(base.error);
    if (role === undefined || role.arn === base.value.roleArn) return base.value;
    const place = tokenServiceOf(region, 'cluster', options.variables);
    const { arn: roleArn, externalId } = role;
    const assumed = await assumeRole(base.value, { ...place, roleArn, externalId }, { http, signal, nowMs: now() });
    if (!assumed.ok) throw new NoCredentials(assumed.error);
    return assumed.value;
  };
  const lasting = createLasting({
    find,
    endOf: ({ expiresAtMs }) => expiresAtMs && expiresAtMs - SKEW_MS,
    ...{ now, renewMs: RENEW_MS, marginMs: MARGIN_MS },
  });
  return async (call) => {
    latest = call;
    try {
      return ok(await lasting());
    } catch (error) {
      if (error instanceof NoCredentials) return err(error.problem);
      throw error;
    }
  };
}

const TIMEOUT_MS = 10_000;
