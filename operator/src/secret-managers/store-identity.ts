/** The identity for a bucket of the deployment: docs/behaviour/request-logs.md#the-identity-for-a-bucket. */
import { type AwsRole, createLastingCredentials, err, ok, type Result } from '@gatehouse/crds';
import type { FetchProblem } from '../translate/index.ts';
import { type AwsCredentials, assumeRole, type Calling, tokenServiceOf } from './clouds/index.ts';
import { createOwnIdentity, type OwnIdentityOptions } from './own-identity.ts';

export interface StoreIdentityOptions extends OwnIdentityOptions {
  /** Unix time in ms. */
  now(): number;
}

/** Where and as whom the bucket is opened. */
export interface StoreIdentityPlace extends Pick<Calling, 'http'> {
  readonly region: string;
  /** Undefined: the identity of the process. */
  readonly keys: Pick<AwsCredentials, 'accessKeyId' | 'secretAccessKey'> | undefined;
  /** Undefined: none is assumed. */
  readonly role: AwsRole | undefined;
}

class NoCredentials extends Error {
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Finds credentials for one bucket, which are kept until shortly before they end. */
export function createStoreIdentity(
  options: StoreIdentityOptions,
  { keys, role, region, http }: StoreIdentityPlace,
): () => Promise<Result<AwsCredentials, FetchProblem>> {
  const { now, variables } = options;
  const own = createOwnIdentity(options);
  const find = async (): Promise<Result<AwsCredentials, FetchProblem>> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS); // waiting calls share it
    const base: Result<AwsCredentials, FetchProblem> =
      keys === undefined
        ? await own.awsCredentials({ region, http, signal })
        : ok({ ...keys, sessionToken: undefined });
    if (!base.ok || role === undefined || role.arn === base.value.roleArn) return base;
    const call = { ...tokenServiceOf(region, 'cluster', variables), roleArn: role.arn, externalId: role.externalId };
    return assumeRole(base.value, call, { http, signal, nowMs: now() });
  };
  const lasting = createLastingCredentials({
    find: async () => {
      const found = await find();
      if (!found.ok) throw new NoCredentials(found.error);
      return found.value;
    },
    now,
  });
  return async () => {
    try {
      return ok(await lasting());
    } catch (error) {
      if (error instanceof NoCredentials) return err(error.problem);
      throw error;
    }
  };
}

const TIMEOUT_MS = 10_000;
