import type { JsonObject, Usage } from '../contract.ts';
import { numberAt, objectAt } from '../json/json.ts';

/** Usage of an answer or of its `meta`: tokens if reported, else billed units, which clients that are not strict get, too. */
export function cohereUsage(usage: JsonObject | undefined, strict: boolean): Usage | undefined {
  const prompt = countOf(usage, 'input_tokens');
  const completion = countOf(usage, 'output_tokens');
  if (prompt === undefined && completion === undefined) return undefined;
  const cached = numberAt(usage, 'cached_tokens');
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...billedUnits(usage, strict),
  };
}

/** As a member of a usage. */
export function billedUnits(usage: JsonObject | undefined, strict: boolean): JsonObject {
  const billed = objectAt(usage, 'billed_units');
  return strict || billed === undefined ? {} : { billed_units: billed };
}

/** Tokens of the input alone, for calls that generate nothing. */
export const inputTokens = (meta: JsonObject | undefined): number | undefined => countOf(meta, 'input_tokens');

const countOf = (usage: JsonObject | undefined, key: string): number | undefined =>
  numberAt(objectAt(usage, 'tokens'), key) ?? numberAt(objectAt(usage, 'billed_units'), key);
