import type { ReferenceGrant } from '../../types/index.ts';

/** ReferenceGrants of `gateway.networking.k8s.io`: the consent of a namespace to references from other namespaces. */

export interface SecretReference {
  /** Kind of the referring object. */
  readonly kind: string;
  readonly group: string;
  readonly namespace: string;
  readonly secret: string;
}

/** Whether one of the grants of a namespace lets objects of a kind in another namespace use a Secret. */
export function permitsSecret(
  grants: readonly ReferenceGrant[],
  { group, kind, namespace, secret }: SecretReference,
): boolean {
  return grants.some(
    ({ from, to }) =>
      from.some((row) => row.group === group && row.kind === kind && row.namespace === namespace) &&
      to.some((row) => row.group === '' && row.kind === 'Secret' && (row.name === undefined || row.name === secret)),
  );
}
