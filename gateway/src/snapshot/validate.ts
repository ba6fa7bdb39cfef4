import { type AnyEntry, ENTRY_BODIES } from '@gatehouse/crds/snapshot';
import { z } from 'zod';

const entryShape = z.looseObject({
  kind: z.string(),
  id: z.string(),
  workspace: z.string().nullable(),
  generation: z.number(),
  digest: z.string(),
});

/** An entry that makes its Snapshot unusable. */
export class EntryError extends Error {
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

/**
 * Entry kinds of a newer minor version are not known here and are left out: undefined. A broken entry refuses the Snapshot: throws
 * Error, EntryError where it is known which one.
 */
export function validateEntry(raw: AnyEntry): AnyEntry | undefined {
  const shape = entryShape.safeParse(raw);
  if (!shape.success) throw new Error(`an entry is malformed: ${shape.error.issues[0]?.message ?? ''}`);
  if (!Object.hasOwn(ENTRY_BODIES, raw.kind)) return undefined;
  const body = ENTRY_BODIES[raw.kind].safeParse(raw.body);
  if (!body.success) {
    const [issue] = body.error.issues;
    throw new EntryError(raw.id, `entry ${raw.id}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  return raw;
}
