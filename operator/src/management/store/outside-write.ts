/** Writes that the management API has not made. */
import type { KindName } from '@gatehouse/crds/kinds';

/** What somebody else has written, or may have: nobody knows who deletes. */
export interface OutsideWrite {
  readonly kind: KindName;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** Of what was written, or of what was deleted. */
  readonly generation: number;
  readonly action: 'create' | 'update' | 'delete';
  /** RFC 3339, to the second; undefined: now. */
  readonly time: string | undefined;
  /** Of the fields that were written, e.g. `kubectl-client-side-apply`; undefined where the API server does not say, as for a deletion. */
  readonly manager: string | undefined;
  /** The specs; undefined where there is none, or none with the schema of its Kind. */
  readonly before: unknown;
  readonly after: unknown;
}
