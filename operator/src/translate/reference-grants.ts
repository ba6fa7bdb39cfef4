/** ReferenceGrants of `gateway.networking.k8s.io`: consent of a namespace to be read from others (DESIGN section 9). */

/** Who may read what, as it stands in `spec`: every member of `from` may read every member of `to`. */
export interface ReferenceGrant {
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
  /** Without a name: every object of the kind in the namespace of the grant. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string | undefined }[];
}

export interface SecretReference {
  /** Of the referring object. */
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
