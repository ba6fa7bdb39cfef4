import type { z } from 'zod';
import { readJson } from '../../../lib/json/index.ts';

/** The text as JSON of the schema; undefined when it does not match. */
export function parseJsonWith<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(readJson(text)).data;
  } catch {
    return undefined;
  }
}
