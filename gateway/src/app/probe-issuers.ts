/** Whether tokens of issuers could be checked here. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { SnapshotEntry } from '@gatehouse/crds/snapshot';
import type { GatewaySettings } from '../config/index.ts';
import { createKeyFetcher, usableAlgorithms } from '../identity/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { hostPolicyOf, openClient } from './upstream-client.ts';

export type Issuer = SnapshotEntry<'issuer'>['body'];

export interface IssuerProbe {
  /** Keys that the issuer publishes, whatever they are for. */
  readonly keys: number;
  /** Of the algorithms that are accepted, those for which there is a key that can be used. */
  readonly algorithms: readonly string[];
}

/** Of all answers together. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Fetches the keys of each issuer once, by the rules for hosts that requests follow. Results in order; errors are for people. */
export async function probeIssuers(
  settings: GatewaySettings,
  issuers: readonly Issuer[],
): Promise<readonly Result<IssuerProbe, string>[]> {
  const client = openClient(settings, hostPolicyOf(settings));
  const fetchKeys = createKeyFetcher({ client, budget: createByteBudget(MAX_BYTES) });
  const probe = async ({ jwksUri, jwks, algorithms }: Issuer): Promise<Result<IssuerProbe, string>> => {
    try {
      const keys = jwksUri === undefined ? (jwks ?? []) : await fetchKeys(jwksUri);
      return ok({ keys: keys.length, algorithms: await usableAlgorithms(keys, algorithms) });
    } catch (error) {
      return err(error instanceof Error ? error.message : String(error));
    }
  };
  try {
    return await Promise.all(issuers.map(probe));
  } finally {
    await client.close();
  }
}
