/**
 * Hints that zod cannot express and the generators need. They travel in zod's own `.meta()`, so `z.toJSONSchema` hands them
 * on; `crds/gen` turns them into CRD extensions and documentation.
 */
import type {} from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** How two managers may share the list: `atomic` where order is meaning, `set` for scalars, `map` with keys. */
    listType?: 'atomic' | 'set' | 'map';
    /** Key fields of a `map` list. */
    listMapKeys?: readonly string[];
    /** Most members of a map. */
    maxProperties?: number;
    /** A format the API server checks itself. */
    format?: 'date-time';
    /** The node keeps keys we do not know and is never renamed inside (`x-kubernetes-preserve-unknown-fields`). */
    opaque?: true;
    /** The value must not change after creation; the text says what to do instead. */
    immutable?: string;
    /** The recursive reference of a schema: unrolled to a documented depth in CRDs, opaque below. */
    recursive?: true;
    /** Longest list of a recursive reference below the first level, in CRDs. */
    recursiveMaxItems?: number;
    /** The node has a check that the API server does not run; the text says why. */
    webhookOnly?: string;
    /** The value is a credential: masked in every listing. */
    secret?: true;
  }
}
