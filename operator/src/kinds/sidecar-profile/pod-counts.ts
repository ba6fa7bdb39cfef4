/** How many pods have a profile's sidecar, and how many should have it and do not. */
import { bareMetadata } from '../../runtime/index.ts';
import { INJECTED_ANNOTATION, PROFILE_LABEL, SIDECAR_CONTAINER } from './names.ts';
import type { SidecarPod } from './ports.ts';

export interface PodCounts {
  readonly injectedPods: number;
  readonly missedPods: number;
}

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/**
 * Counts the running and starting pods of one profile; a pod on the host network cannot have a sidecar and is not counted.
 */
export function countPods(pods: Iterable<SidecarPod>): PodCounts {
  let [injectedPods, missedPods] = [0, 0];
  for (const pod of pods) {
    if (ENDED.has(pod.status?.phase ?? '') || typeof pod.metadata.deletionTimestamp === 'string') continue;
    if (pod.spec?.hostNetwork === true) continue;
    if (isInjected(pod)) injectedPods += 1;
    else missedPods += 1;
  }
  return { injectedPods, missedPods };
}

const isInjected = ({ metadata, spec }: SidecarPod): boolean =>
  metadata.annotations?.[INJECTED_ANNOTATION] !== undefined &&
  (spec?.initContainers ?? []).some(({ name }) => name === SIDECAR_CONTAINER);

/** The part of a pod that is cached. */
export function slimPod({ apiVersion, kind, metadata, spec, status }: SidecarPod): SidecarPod {
  return {
    apiVersion,
    kind,
    metadata: bareMetadata(metadata, { labels: [PROFILE_LABEL], annotations: [INJECTED_ANNOTATION] }),
    spec: {
      ...(spec?.hostNetwork === true ? { hostNetwork: true } : {}),
      initContainers: (spec?.initContainers ?? [])
        .filter((container) => container.name === SIDECAR_CONTAINER)
        .map((container) => ({ name: container.name })),
    },
    status: { phase: status?.phase },
  };
}
