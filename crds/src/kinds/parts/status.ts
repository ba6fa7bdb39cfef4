/** Status of every Kind: conditions, and the generation they apply to. */
import { z } from 'zod';
import { dateTime, int, mapList, pattern, text } from '../../schema/index.ts';

const MAX_GENERATION = Number.MAX_SAFE_INTEGER;
/** The observedGeneration of an object before the operator has processed it; generations begin at 1. */
export const UNSEEN_GENERATION = -1;

/** One condition, as Kubernetes writes them. */
export const condition = z.object({
  type: pattern(/^[A-Z][A-Za-z]*$/, 'a condition type', 64).meta({ description: 'type is the name of the condition.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'status is True, False or Unknown.' }),
  observedGeneration: int(
    'observedGeneration is the generation that the condition applies to.',
    0,
    MAX_GENERATION,
  ).optional(),
  lastTransitionTime: dateTime('lastTransitionTime is when status last changed.'),
  reason: pattern(/^[A-Z][A-Za-z]*$/, 'a reason', 64).meta({
    description: 'reason is the machine-readable cause of the status, in one word.',
  }),
  message: z.string().max(1024).meta({ description: 'message explains the reason.' }),
});

export type Condition = Readonly<z.output<typeof condition>>;

const shared = {
  conditions: mapList(condition, ['type'], {
    description: 'conditions are Accepted, ResolvedRefs, Programmed and Ready; Reconciling and Stalled while true.',
    max: 16,
  }).optional(),
  observedGeneration: int(
    'observedGeneration is the last generation that was fully processed.',
    UNSEEN_GENERATION,
    MAX_GENERATION,
  ).optional(),
  lastHandledReconcileAt: text(
    'lastHandledReconcileAt is the value of the annotation gatehouse.dev/requestedAt of the last forced reconciliation.',
    64,
  ).optional(),
};

/** The status of a Kind; unknown members are dropped, as the API server does. */
export function statusOf<Extra extends z.core.$ZodLooseShape>(extra: Extra) {
  return z.object({ ...shared, ...extra }).meta({ description: 'status is what the operator observed.' });
}

/** A version of a Snapshot. */
export const snapshotVersion = (description: string) => int(description, 0, MAX_GENERATION);

/** A number of pods. */
export const podCount = (description: string) => int(description, 0, 1_000_000);
