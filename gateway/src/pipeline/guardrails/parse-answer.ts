import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';

/** Undefined: it is no JSON object within the limits. */
export function parseAnswer(bytes: Buffer, limits: JsonLimits): JsonObject | undefined {
  try {
    const value = readJson(bytes, limits);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // what the parser says quotes the answer
  }
}
