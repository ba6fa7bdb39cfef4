/** Masking of header values in logs; behaviour-providers-hosts 11.8. */

const ALWAYS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'x-gw-api-key',
  'x-gw-config',
  'x-gw-aws-access-key-id',
  'x-gw-aws-secret-access-key',
  'x-gw-aws-session-token',
  'x-gw-aws-external-id',
  'x-gw-aws-role-arn',
  'x-gw-cloud-c-secret-access-key',
  'x-gw-cloud-c-session-token',
  'x-gw-vertex-service-account-json',
  'x-gw-azure-entra-client-secret',
  'x-gw-azure-ad-token',
  'modal-key',
  'modal-secret',
]);

/** The first two and last three characters of a value, without `Bearer `; short values vanish whole. */
export function maskValue(value: string): string {
  const bare = value.replace(/^Bearer +/i, '');
  return bare.length <= 8 ? '********' : `${bare.slice(0, 2)}********${bare.slice(-3)}`;
}

/** A copy of the headers that may be logged. `more`: further names, lower case. */
export function maskHeaders(
  headers: Iterable<readonly [string, string]>,
  more: ReadonlySet<string>,
): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) out[name] = ALWAYS.has(name) || more.has(name) ? maskValue(value) : value;
  return out;
}
