import type { Result } from '@gatehouse/crds';

export {
  type AvroFile,
  avroBytes,
  avroDouble,
  avroFile,
  avroFloat,
  avroLong,
  avroText,
  embeddedFile,
} from './avro.ts';
export { deepFreeze } from './deep-freeze.ts';
export { freePort } from './free-port.ts';
export { type GoldenCase, goldenCases } from './golden.ts';
export { send } from './http.ts';
export { CLIENT as OIDC_CLIENT, type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
export { logRow } from './log-row.ts';
export { chatRow, type Managed, managedBy } from './managed-batches.ts';
export { type PostgresServer, startPostgres } from './postgres.ts';
export { COMPILED, PROGRAMS_FOLDER, type ProgramName, programArgs } from './programs.ts';
export { hasRedis, type RedisServer, startRedis } from './redis.ts';
export { type FakeRequest, fakeRequest } from './request.ts';
export {
  config,
  type Entries,
  fleetProvider,
  guardrail,
  issuer,
  KEY,
  key,
  organisation,
  policy,
  provider,
  sha256,
  sidecar,
  snapshot,
  TEAM,
  workspace,
} from './snapshot.ts';
export { LOOPBACK_PEM, RENEWED_PEM } from './tls.ts';
export { createTokenIssuer, ISSUED, ISSUER, type TokenIssuer } from './token-issuer.ts';
export { waitFor } from './wait-for.ts';

/** The value of a result that must be good; a bad one fails the test with its error. */
export function unwrap<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw new Error(`expected a value, got the error ${JSON.stringify(result.error)}`);
}
