/** Status of every Kind: conditions first, then the generation they speak of (engineering 8.1, 8.4). */
import { z } from 'zod';
import { dateTime, int, mapList, pattern, text } from '../../schema/index.ts';

const MAX_GENERATION = Number.MAX_SAFE_INTEGER;
/** The observedGeneration of an object that no operator has seen; generations begin at 1. */
export const UNSEEN_GENERATION = -1;

/** One condition, as Kubernetes writes them. */
export const condition = z.object({
  type: pattern(/^[A-Z][A-Za-z]*$/, 'a condition type', 64).meta({ description: 'type is the name of the condition.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'status is True, False or Unknown.' }),
  observedGeneration: int(
    'observedGeneration is the generation the condition speaks of.',
    0,
    MAX_GENERATION,
  ).optional(),
  lastTransitionTime: dateTime('lastTransitionTime is when status last changed.'),
  reason: pattern(/^[A-Z][A-Za-z]*$/, 'a reason', 64).meta({ description: 'reason says in one word why.' }),
  message: z.string().max(1024).meta({ description: 'message explains the reason to people.' }),
});

export type Condition = Readonly<z.output<typeof condition>>;

const shared = {
  conditions: mapList(condition, ['type'], {
    description: 'conditions are Accepted, ResolvedRefs, Programmed and Ready; Reconciling and Stalled while true.',
    max: 16,
  }).optional(),
  observedGeneration: int(
    'observedGeneration is the last generation that was processed to its end.',
    UNSEEN_GENERATION,
    MAX_GENERATION,
  ).optional(),
  lastHandledReconcileAt: text(
    'lastHandledReconcileAt echoes the annotation gatehouse.dev/requestedAt of the last forced run.',
    64,
  ).optional(),
};

/** The status of a Kind; members a newer operator has written are dropped, as the API server would. */
export function statusOf<Extra extends z.core.$ZodLooseShape>(extra: Extra) {
  return z.object({ ...shared, ...extra }).meta({ description: 'status is what the operator observed.' });
}

/** A version of a Snapshot. */
export const snapshotVersion = (description: string) => int(description, 0, MAX_GENERATION);

/** How many pods. */
export const podCount = (description: string) => int(description, 0, 1_000_000);
