import { z } from 'zod';
import { atomicList, int, opaque, text } from '../schema/index.ts';
import { MAX_CONDITIONAL_ROOT_TARGETS } from './limits.ts';

/** HTTP statuses. Not a set: a list with duplicates is accepted. */
export const statusCodes = (description: string) => atomicList(z.int().min(100).max(599), description, 64);

const sticky = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'enabled switches sticky selection on.' }),
    hashFields: atomicList(
      z
        .string()
        .max(256)
        .regex(/^(metadata|params|headers)\..+$/, 'must start with metadata., params. or headers.'),
      'hashFields lists the request facts that identify a session, in addition to the gateway key.',
      16,
    ).optional(),
    ttl: int('ttl is the lifetime of a choice in seconds, 300 when absent.', 1, 31_536_000).optional(),
  })
  .meta({ description: 'sticky keeps a session on the target first chosen for it. Saved configs only.' });

const circuitBreaker = z
  .strictObject({
    failureThreshold: int('failureThreshold opens a target after this many failures.', 1, 1_000_000).optional(),
    failureThresholdPercentage: int(
      'failureThresholdPercentage opens a target when this share of requests failed, in percent.',
      1,
      100,
    ).optional(),
    minimumRequests: int(
      'minimumRequests is the number of requests before the percentage counts, 5 when absent.',
      1,
      1_000_000,
    ).optional(),
    cooldownInterval: int(
      'cooldownInterval is how long a target stays open in ms; values below 30000 count as 30000.',
      1,
      86_400_000,
    ).optional(),
    failureStatusCodes: statusCodes(
      'failureStatusCodes lists the statuses that count as failures, 5xx when absent.',
    ).optional(),
  })
  .meta({ description: 'cbConfig is the circuit breaker of the targets below. Saved configs only.' });

const condition = z.strictObject({
  query: opaque('query is a condition over metadata.KEY, params.KEY and url.pathname; all entries must hold.', 64),
  // biome-ignore lint/suspicious/noThenProperty: the name is the wire contract of configs
  then: text('then names the target to use when the query holds.', 256),
});

/** How a node picks among its targets: docs/behaviour/routing.md#strategies. */
export const strategy = z
  .strictObject({
    mode: z
      .enum(['single', 'loadbalance', 'fallback', 'conditional'])
      .meta({ description: 'mode is how a target is picked.' }),
    onStatusCodes: statusCodes(
      'onStatusCodes lists the statuses on which a fallback goes on; any but 2xx when absent.',
    ).optional(),
    conditions: atomicList(
      condition,
      'conditions are tried in order; the first whose query holds names the target.',
      MAX_CONDITIONAL_ROOT_TARGETS,
    ).optional(),
    default: text('default names the target to use when no condition holds.', 256).optional(),
    sticky: sticky.optional(),
    cbConfig: circuitBreaker.optional(),
  })
  .meta({ description: 'strategy is how one of the targets is picked.' });

export type Strategy = z.output<typeof strategy>;
export type StickySettings = z.output<typeof sticky>;
export type CircuitBreakerSettings = z.output<typeof circuitBreaker>;
