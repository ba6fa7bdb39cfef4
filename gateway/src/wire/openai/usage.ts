import { isObject } from '@gatehouse/crds';
import type { Usage } from '../contract.ts';

/**
 * A usage object of an OpenAI-like upstream, with details kept and missing totals computed. Undefined when it has no counts;
 * negative counts are placeholders for "unknown" and are left out.
 */
export function toUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = count(value['prompt_tokens']);
  const completion = count(value['completion_tokens']);
  const total = count(value['total_tokens']);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const prompt_tokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  const completion_tokens = completion ?? Math.max(0, (total ?? 0) - prompt_tokens);
  return { ...value, prompt_tokens, completion_tokens, total_tokens: total ?? prompt_tokens + completion_tokens };
}

const count = (value: unknown): number | undefined => (typeof value === 'number' && value >= 0 ? value : undefined);
