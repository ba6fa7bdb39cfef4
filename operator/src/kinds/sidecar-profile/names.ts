/** Names that pods, profiles and gateways share. */

/** On a pod: the name of its SidecarProfile. */
export const PROFILE_LABEL = 'gatehouse.dev/sidecar';
/** On a pod that has got the sidecar of a profile. */
export const INJECTED_ANNOTATION = 'gatehouse.dev/injected';

export const SIDECAR_CONTAINER = 'gatehouse';
/** ConfigMap and Secret in a workspace's namespace with the mounted copy of its Snapshot. */
export const SIDECAR_COPY = 'gatehouse-sidecar-snapshot';
/** Member of the ConfigMap: the authorities of the snapshot service, as PEM. */
export const CA_MEMBER = 'ca.crt';
