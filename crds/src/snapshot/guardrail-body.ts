import { z } from 'zod';
import { reach } from './reach.ts';

/** A score for the trace. */
const feedback = z.looseObject({
  value: z.number(),
  weight: z.number(),
  metadata: z.record(z.string(), z.unknown()).optional(),
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
      /** Without those that may be secret, which are in an entry of their own. */
      parameters: z.record(z.string(), z.unknown()),
      softDeny200: z.boolean().optional(),
      failOnError: z.boolean().optional(),
      /** Id of the credential entry. */
      credential: z.string().optional(),
      /** Id of the credential entry with the parameters that may be secret. */
      parametersFrom: z.string().optional(),
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
  onSuccess: feedback.optional(),
  onFail: feedback.optional(),
  /** In a sidecar: ids of credentials that belong to the organisation and are not part of the sidecar's Snapshot. */
  needsFleet: z.array(z.string()).optional(),
  reach: reach.optional(),
});
