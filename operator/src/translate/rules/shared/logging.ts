import type { EntryBody } from '@gatehouse/crds/snapshot';

type Logging = NonNullable<EntryBody<'organisation'>['logging']>;

const BODIES = { All: 'all', FailedOnly: 'failed', None: 'none' } as const satisfies Record<string, Logging['bodies']>;

/** What the request log keeps, where a resource says it. */
export function loggingOf({
  logging: { bodies, enforced = false } = {},
}: {
  readonly logging?: { readonly bodies?: keyof typeof BODIES | undefined; readonly enforced?: boolean } | undefined;
}): { readonly logging?: Logging } {
  if (bodies === undefined && !enforced) return {};
  return { logging: { ...(bodies && { bodies: BODIES[bodies] }), ...(enforced ? { enforced } : {}) } };
}
