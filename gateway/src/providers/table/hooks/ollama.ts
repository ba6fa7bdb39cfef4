import { isObject } from '@gatehouse/crds';
import type { BodyHook } from '../../contract.ts';

/** Converts `thinking` to Ollama's boolean `think`. */
export const thinkingAsSwitch: BodyHook = (params) => {
  const { thinking, ...rest } = params;
  if (!isObject(thinking)) return params;
  return { ...rest, think: thinking['type'] !== 'disabled' };
};
