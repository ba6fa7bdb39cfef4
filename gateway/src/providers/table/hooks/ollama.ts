import { isObject } from '@gatehouse/crds';
import type { BodyHook } from '../../contract.ts';

/**
 * Converts `thinking` to Ollama's boolean `think`. Chat completions of its server do not read that: without an effort models think,
 * and `none` keeps them from it. Source: Ollama, OpenAI compatibility.
 */
export const thinkingAsSwitch: BodyHook = (params) => {
  const { thinking, ...rest } = params;
  const said = isObject(thinking) ? { ...rest, think: thinking['type'] !== 'disabled' } : params;
  if (said['think'] !== false || (said['reasoning_effort'] ?? null) !== null) return said;
  return { ...said, reasoning_effort: 'none' };
};
