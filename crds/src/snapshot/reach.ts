import { z } from 'zod';

/**
 * Private addresses that the hosts of a workspace's resource may resolve to, beyond those that the fleet trusts:
 * docs/behaviour/hosts.md. Absent: any address inside the cluster, as for resources of the organisation.
 */
export const reach = z.looseObject({
  /** Private hosts that the organisation allows for the workspace: names, which include every name below them, and IP addresses. */
  allowed: z.array(z.string()),
  /** Services of the workspace's own namespace. */
  services: z.array(
    z.looseObject({
      /** As in the resource, in lower case. */
      host: z.string(),
      port: z.int(),
      /** Its pods, `ADDRESS:PORT`, IPv6 addresses in brackets. */
      endpoints: z.array(z.string()),
    }),
  ),
});

export type ReachBody = z.output<typeof reach>;
