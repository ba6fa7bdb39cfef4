/** The objects with the mounted copy of a Snapshot. */
import { hash } from 'node:crypto';
import { err, ok, type Result } from '@gatehouse/crds';
import { API_VERSION } from '@gatehouse/crds/kinds';
import { canonicalJson, MOUNTED_COPY_KEY, toMountedCopy } from '@gatehouse/crds/snapshot';
import type { OwnerReference } from '../../runtime/index.ts';
import type { SidecarSnapshot } from '../../translate/index.ts';
import { CA_MEMBER, SIDECAR_COPY } from './names.ts';
import type { SidecarCopy, SidecarProfileObject } from './ports.ts';

/** Below the 1 MiB of Kubernetes, with room for metadata; per object, gzipped. */
export const MAX_COPY_BYTES = 900 * 1024;

export interface CopyInput {
  readonly namespace: string;
  readonly snapshot: SidecarSnapshot;
  /** All profiles of the namespace: the copies are deleted with the last one. */
  readonly owners: readonly SidecarProfileObject[];
  /** The authorities that sidecars trust when they call the snapshot service. */
  readonly caPem: string;
}

export interface Copies {
  readonly configMap: SidecarCopy;
  readonly secret: SidecarCopy;
}

/** The size of a copy that does not fit, in bytes gzipped. */
export interface TooLarge {
  readonly configBytes: number;
  readonly secretBytes: number;
}

const LABELS = {
  'app.kubernetes.io/name': 'gatehouse-sidecar',
  'app.kubernetes.io/part-of': 'gatehouse',
  'app.kubernetes.io/managed-by': 'gatehouse-operator',
};

/** Both objects. */
export function copiesOf({ namespace, snapshot, owners, caPem }: CopyInput): Result<Copies, TooLarge> {
  const { config, secret } = toMountedCopy(snapshot);
  if (Math.max(config.length, secret.length) > MAX_COPY_BYTES) {
    return err({ configBytes: config.length, secretBytes: secret.length });
  }
  const metadata = { name: SIDECAR_COPY, namespace, labels: LABELS, ownerReferences: owners.map(toOwner).sort(byName) };
  const apiVersion = 'v1';
  return ok({
    configMap: {
      ...{ apiVersion, kind: 'ConfigMap', metadata },
      data: { [CA_MEMBER]: caPem },
      binaryData: { [MOUNTED_COPY_KEY]: config.toString('base64') },
    },
    secret: {
      ...{ apiVersion, kind: 'Secret', metadata, type: 'Opaque' },
      data: { [MOUNTED_COPY_KEY]: secret.toString('base64') },
    },
  });
}

const toOwner = ({ metadata: { name, uid = '' } }: SidecarProfileObject): OwnerReference => ({
  apiVersion: API_VERSION,
  kind: 'SidecarProfile',
  name,
  uid,
});

const byName = (a: OwnerReference, b: OwnerReference): number => (a.name < b.name ? -1 : 1);

const DIGEST = 'gatehouse.dev/content';

/** The copy with a digest in place of its content, so that a cache of them stays small and holds no secret. */
export function digested(copy: SidecarCopy): SidecarCopy {
  const { data = {}, binaryData = {}, metadata, apiVersion, kind } = copy;
  const { name, namespace, uid, resourceVersion, labels = {}, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map(({ kind: of, name: called, uid: id }) => `${of} ${called} ${id}`).sort();
  const content = canonicalJson({ data, binaryData, labels, owners });
  const annotations = { [DIGEST]: hash('sha256', content) };
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, ownerReferences, annotations } };
}

/** Whether the operator made the copy: an object with the same name may have another owner. */
export const isOurs = ({ metadata: { ownerReferences = [] } }: SidecarCopy): boolean =>
  ownerReferences.some(({ apiVersion, kind }) => apiVersion === API_VERSION && kind === 'SidecarProfile');

/** Whether a digested copy equals the wanted one. */
export const isSameCopy = (present: SidecarCopy | undefined, wanted: SidecarCopy): boolean =>
  present?.metadata.annotations?.[DIGEST] === digested(wanted).metadata.annotations?.[DIGEST];
