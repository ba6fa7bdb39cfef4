import type { z } from 'zod';

/** The text as JSON of that shape; undefined when it is something else. */
export function parseJsonWith<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
