import { type AnyEntry, ENTRY_BODIES } from '@gatehouse/crds/snapshot';
import { z } from 'zod';

const entryShape = z.looseObject({
  kind: z.string(),
  id: z.string(),
  workspace: z.string().nullable(),
  generation: z.number(),
  digest: z.string(),
});

/** An invalid entry, which makes its Snapshot unusable. */
export class EntryError extends Error {
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

/**
 * Undefined for entry kinds of a newer minor version, which are skipped. Throws for an invalid entry, which rejects the Snapshot:
 * EntryError when its id is known, else Error.
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
