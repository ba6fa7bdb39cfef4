/** The autoscaler that a fleet brings along. */
import { z } from 'zod';
import { int, type Rule, withRules } from '../schema/index.ts';

export const MAX_REPLICAS = 1000;

const AUTOSCALING_RULES: readonly Rule<{ minReplicas: number; maxReplicas: number }>[] = [
  {
    cel: 'self.minReplicas <= self.maxReplicas',
    message: 'minReplicas must not be above maxReplicas',
    at: 'minReplicas',
    holds: ({ minReplicas, maxReplicas }) => minReplicas <= maxReplicas,
    valid: [{ minReplicas: 3, maxReplicas: 3 }, { maxReplicas: 2 }],
    invalid: [{ minReplicas: 4, maxReplicas: 3 }, { maxReplicas: 1 }],
  },
];

export const autoscaling = withRules(
  z
    .strictObject({
      minReplicas: int('minReplicas is the least number of pods.', 1, MAX_REPLICAS).default(2),
      maxReplicas: int('maxReplicas is the largest number of pods.', 1, MAX_REPLICAS),
      targetCpuPercent: int(
        'targetCpuPercent is the target CPU use, in percent of the resource requests.',
        1,
        100,
      ).default(70),
      targetMemoryPercent: int(
        'targetMemoryPercent is the target memory use, in percent of the resource requests; absent: memory is ignored.',
        1,
        100,
      ).optional(),
      targetRequestsInFlight: int(
        'targetRequestsInFlight is the target number of requests and streams that a pod serves at the same time, from the metric gatehouse_requests_in_flight of the custom metrics API; absent: ignored.',
        1,
        1_000_000,
      ).optional(),
      targetOpenStreams: int(
        'targetOpenStreams is the target number of answers (event streams, files, audio) that a pod relays while they arrive, from the metric gatehouse_open_streams of the custom metrics API; absent: ignored.',
        1,
        1_000_000,
      ).optional(),
    })
    .meta({ description: 'autoscaling lets a HorizontalPodAutoscaler set the number of pods.' }),
  AUTOSCALING_RULES,
);
