/** Writes that the management API has not made. */
import type { KindName } from '@gatehouse/crds/kinds';

/** What somebody has written, perhaps this API. */
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
  /** Whether a call of this API may have made it: nobody knows who deletes, and everybody may take the name of its field manager. */
  readonly mayBeCall: boolean;
  /** Of the fields that were written, e.g. `kubectl-client-side-apply`; undefined where the API server does not say, as for a deletion. */
  readonly manager: string | undefined;
  /** The specs; undefined where there is none, or none with the schema of its Kind. */
  readonly before: unknown;
  readonly after: unknown;
}
