import type { EntryBody } from '@gatehouse/crds/snapshot';

type Logging = NonNullable<EntryBody<'organisation'>['logging']>;

const BODIES = { All: 'all', FailedOnly: 'failed', None: 'none' } as const satisfies Record<string, Logging['bodies']>;

interface Given {
  readonly bodies?: keyof typeof BODIES | undefined;
  readonly enforced?: boolean;
  readonly retentionDays?: number | undefined;
}

/** What the request log keeps, and how long, where a resource says it. */
export function loggingOf({
  logging: { bodies, enforced = false, retentionDays } = {},
}: {
  readonly logging?: Given | undefined;
}): { readonly logging?: Logging } {
  if (bodies === undefined && !enforced && retentionDays === undefined) return {};
  return {
    logging: {
      ...(bodies && { bodies: BODIES[bodies] }),
      ...(enforced ? { enforced } : {}),
      ...(retentionDays === undefined ? {} : { retentionDays }),
    },
  };
}
