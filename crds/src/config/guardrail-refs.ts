import { z } from 'zod';
import { atomicList, opaque } from '../meta.ts';

const reference = z
  .union([z.string().min(1).max(253), z.record(z.string(), z.unknown())])
  .meta({ description: 'A guardrail slug, or a guardrail written out.', opaque: true });

/** The shorthand of guardrails: slugs or objects; behaviour-guardrails. */
export const guardrailList = (description: string) => atomicList(reference, description, 64);

/** The long form of hooks. */
export const hookList = (description: string) => atomicList(opaque('A hook written out.'), description, 64);
