/** Which rows of the request log are asked for: docs/behaviour/request-logs.md#filters */
import { z } from 'zod';
import { dateTime, queryInt } from './shapes.ts';

/** Values with commas between them. */
const list = z.string().min(1).max(8_192);
const cents = z.coerce.number().min(0);
const feedback = z.coerce.number().min(-10).max(10);
const workspace = z.string().min(1).max(253);

/** Members of queries. Amounts are those of one row. */
export const logFilters = {
  time_of_generation_min: dateTime.optional(),
  time_of_generation_max: dateTime.optional(),
  workspace_slug: workspace.optional(),
  /** As other operations name it. */
  workspace_id: workspace.optional(),
  total_units_min: queryInt.optional(),
  total_units_max: queryInt.optional(),
  cost_min: cents.optional(),
  cost_max: cents.optional(),
  prompt_token_min: queryInt.optional(),
  prompt_token_max: queryInt.optional(),
  completion_token_min: queryInt.optional(),
  completion_token_max: queryInt.optional(),
  status_code: list.optional(),
  weighted_feedback_min: feedback.optional(),
  weighted_feedback_max: feedback.optional(),
  virtual_keys: list.optional(),
  configs: list.optional(),
  api_key_ids: list.optional(),
  /** A JSON object of texts. */
  metadata: list.optional(),
  ai_org_model: list.optional(),
  /** Of any provider. */
  ai_model: list.optional(),
  trace_id: list.optional(),
  span_id: list.optional(),
  prompt_slug: list.optional(),
} as const;
