/** Shapes of rate limit policies and of usage limit policies. */
import { z } from 'zod';

const texts = z.union([z.string(), z.array(z.string())]);

export const policyCondition = z.strictObject({ key: z.string(), value: texts.optional(), excludes: texts.optional() });

export const policyGroupKey = z.strictObject({ key: z.string() });

export const status = z.enum(['active', 'archived']);
export const description = z.string().max(500).nullable();
