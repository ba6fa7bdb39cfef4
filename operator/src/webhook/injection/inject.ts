/** Adds the sidecar of a profile to a pod. Pure and idempotent. */
import { GATEWAY_ADMIN_PORT, type SidecarProfile } from '@gatehouse/crds/kinds';
import { INJECTED_ANNOTATION, PROFILE_LABEL, SIDECAR_CONTAINER } from '../../kinds/sidecar-profile/index.ts';
import { envFromWarnings, withAppEnv } from './app-env.ts';
import { SIDECAR_VOLUMES, type SidecarOptions, sidecarContainer } from './container.ts';
import type { Container, Pod } from './pod.ts';
import { sidecarUser } from './user.ts';

export type Injection =
  | { readonly kind: 'patched'; readonly pod: Pod; readonly warnings: readonly string[] }
  /** The pod stays unchanged. */
  | { readonly kind: 'skipped'; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Puts the gateway before all other init containers and sets its address in the app containers. What the pod has already stays:
 * its own variables, and a sidecar from an earlier call.
 */
export function inject(pod: Pod, profile: SidecarProfile, options: SidecarOptions): Injection {
  const { name } = profile.metadata;
  if (pod.spec.hostNetwork === true) {
    return skipped(
      `no sidecar: the pod uses the host network, where ports of the sidecar of profile ${name} would clash`,
    );
  }
  if (profile.spec.suspend) return skipped(`no sidecar: profile ${name} is suspended`);
  const injected = pod.metadata?.annotations?.[INJECTED_ANNOTATION];
  const clash = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some((c) => c.name === SIDECAR_CONTAINER);
  if (injected === undefined && clash) {
    const message = `the pod has a container named ${SIDECAR_CONTAINER}, which is the name of the sidecar; give it another name`;
    return { kind: 'refused', message };
  }
  const warnings = [...portWarnings(pod, profile), ...unseen(pod, profile)];
  return { kind: 'patched', pod: withSidecar(pod, profile, options), warnings };
}

const skipped = (warning: string): Injection => ({ kind: 'skipped', warnings: [warning] });

function withSidecar(pod: Pod, profile: SidecarProfile, options: SidecarOptions): Pod {
  const { metadata = {}, spec } = pod;
  const { initContainers = [], containers, volumes = [] } = spec;
  const { name } = profile.metadata;
  const withAddress = (container: Container): Container =>
    getsAddress(container, profile) ? withAppEnv(container, profile.spec) : container;
  const sidecar = initContainers.some((container) => container.name === SIDECAR_CONTAINER)
    ? []
    : [sidecarContainer(profile, options, sidecarUser(pod, options.userRange))];
  const present = new Set(volumes.map((volume) => volume.name));
  return {
    ...pod,
    metadata: {
      ...metadata,
      // A pod that matched a selector gets the name, too: its profile counts pods by it.
      labels: { ...metadata.labels, [PROFILE_LABEL]: name },
      annotations: { ...metadata.annotations, [INJECTED_ANNOTATION]: name },
    },
    spec: {
      ...spec,
      initContainers: [...sidecar, ...initContainers.map(withAddress)],
      containers: containers.map(withAddress),
      volumes: [...volumes, ...SIDECAR_VOLUMES.filter((volume) => !present.has(volume.name))],
    },
  };
}

/** Init containers of the app run when the sidecar is running already. */
const getsAddress = ({ name }: Container, { spec }: SidecarProfile): boolean =>
  name !== SIDECAR_CONTAINER && (spec.containers === undefined || spec.containers.includes(name));

const unseen = ({ spec: { initContainers = [], containers } }: Pod, profile: SidecarProfile): readonly string[] =>
  [...initContainers, ...containers]
    .filter((container) => getsAddress(container, profile))
    .flatMap((container) => envFromWarnings(container, profile.spec));

function portWarnings({ spec }: Pod, profile: SidecarProfile): readonly string[] {
  const taken = new Set([profile.spec.port, GATEWAY_ADMIN_PORT]);
  return spec.containers.flatMap(({ name, ports = [] }) =>
    ports
      .filter(({ containerPort }) => taken.has(containerPort))
      .map(({ containerPort }) => `container ${name} and the sidecar both want port ${containerPort}`),
  );
}
