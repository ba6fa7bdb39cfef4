import { isObject } from '@gatehouse/crds';
import type { BodyHook } from '../../contract.ts';

/** Thinking is a switch here. */
export const thinkingAsSwitch: BodyHook = (params) => {
  const { thinking, ...rest } = params;
  if (!isObject(thinking)) return params;
  return { ...rest, think: thinking['type'] !== 'disabled' };
};
