/** Management operations: feedback on the answers of a trace. */
import { z } from 'zod';
import { defineOperation } from './operation.ts';
import { anyObject } from './shapes.ts';

/** Feedback of one call. */
const MAX_ITEMS = 1_000;
/** As `x-gw-trace-id` may have. */
const MAX_TRACE_ID = 256;

/** From 0 to 1; what is outside counts as 1. */
const weight = z.number().transform((given) => (given >= 0 && given <= 1 ? given : 1));
const opinion = {
  value: z.int().min(-10).max(10),
  weight: weight.optional(),
  metadata: anyObject.optional(),
} as const;

const item = z.strictObject({ trace_id: z.string().min(1).max(MAX_TRACE_ID), ...opinion });
const answer = z.object({ status: z.literal('success'), message: z.string(), feedback_ids: z.array(z.uuid()) });
const scopes = ['logs.write', 'feedbacks.write'] as const;

export const feedback = {
  create: defineOperation({
    id: 'feedback.create',
    method: 'POST',
    path: '/feedback',
    summary: 'Keeps feedback on a trace, or a list of them.',
    scopes,
    isAudited: false,
    body: z.union([item, z.array(item).min(1).max(MAX_ITEMS)]),
    answer,
  }),
  update: defineOperation({
    id: 'feedback.update',
    method: 'PUT',
    path: '/feedback/{id}',
    summary: 'Replaces the value of a feedback, with its weight and metadata where they are given.',
    scopes,
    isAudited: false,
    body: z.strictObject(opinion),
    answer,
  }),
} as const;
