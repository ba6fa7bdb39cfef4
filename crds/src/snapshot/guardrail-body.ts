import { z } from 'zod';
import { reach } from './reach.ts';

const guardrailFeedback = z.looseObject({
  feedback: z
    .looseObject({ value: z.number(), weight: z.number(), metadata: z.record(z.string(), z.unknown()).optional() })
    .optional(),
});

/** A Guardrail. Ids and parameters of its checks have been checked, and defaults are written in. */
export const guardrailBody = z.looseObject({
  slug: z.string(),
  /** Changes with the content; shown as `guardrail_version_id`. */
  version: z.string(),
  /** `guardrail` or `mutator`. */
  type: z.string(),
  /** Those that are enabled. */
  checks: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string().optional(),
      /** Without those that may be secret, which are in the credential. */
      parameters: z.record(z.string(), z.unknown()),
      softDeny200: z.boolean().optional(),
      failOnError: z.boolean().optional(),
      /** Id of the credential entry. */
      credential: z.string().optional(),
    }),
  ),
  deny: z.boolean(),
  async: z.boolean(),
  sequential: z.boolean(),
  softDeny200: z.boolean().optional(),
  /** The text of a denial. */
  message: z.string().optional(),
  /** `monitor`: never denies and changes nothing; absent or another value: `enforce`. */
  mode: z.string().optional(),
  /** Of answers that are streams: docs/behaviour/guardrails.md. `window` is a number of characters. */
  buffer: z.boolean().optional(),
  window: z.int().min(1).optional(),
  onSuccess: guardrailFeedback.optional(),
  onFail: guardrailFeedback.optional(),
  /** In a sidecar: ids of credentials that belong to the organisation and are not part of the sidecar's Snapshot. */
  needsFleet: z.array(z.string()).optional(),
  reach: reach.optional(),
});
