/**
 * Hints that zod cannot express and the generators need. They travel in zod's own `.meta()`, so `z.toJSONSchema` hands them
 * on; `crds/gen` turns them into CRD extensions and documentation.
 */
import type {} from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** How two field managers may share the list: `atomic` where order has meaning, `set` for scalars, `map` with keys. */
    listType?: 'atomic' | 'set' | 'map';
    /** Key fields of a `map` list. */
    listMapKeys?: readonly string[];
    /** Most members of a map. */
    maxProperties?: number;
    /** A format that the API server checks. */
    format?: 'date-time';
    /** The node keeps unknown keys, and its members are never renamed (`x-kubernetes-preserve-unknown-fields`). */
    opaque?: true;
    /** The value must not change after creation; the text is the message, with what to do instead. */
    immutable?: string;
    /** The recursive member of a schema: written out to a documented depth in CRDs, opaque below. */
    recursive?: true;
    /** Longest list of a recursive member below the first level, in CRDs. */
    recursiveMaxItems?: number;
    /** The node has a check that the API server cannot run; the text is the reason. */
    webhookOnly?: string;
    /** The value is a credential: masked in every listing. */
    secret?: true;
  }
}
