/** Reviews a pod that is being created. */
import { isObject } from '@gatehouse/crds';
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { PROFILE_LABEL } from '../../kinds/sidecar-profile/index.ts';
import type { AdmissionRequest, AdmissionResponse } from '../admission.ts';
import type { SidecarOptions } from './container.ts';
import { inject } from './inject.ts';
import { patchOf } from './patch.ts';
import type { Pod } from './pod.ts';
import { selects } from './selects.ts';

/** What is known of the cluster, from caches. */
export interface InjectionView {
  /** The profiles of a namespace. */
  profilesIn(namespace: string): Iterable<SidecarProfile>;
  /** The workspace that owns a namespace. */
  workspaceOf(namespace: string): string | undefined;
  /** The value of `USER_RANGE_ANNOTATION` of a namespace. */
  userRangeOf(namespace: string): string | undefined;
  /** Whether sidecars have been retired before an uninstallation. */
  areRetired(): boolean;
}

const ALLOWED: AdmissionResponse = { allowed: true };
/** The same as after the uninstallation. */
const RETIRED = 'Gatehouse is about to be uninstalled: the pod gets no sidecar';

/** Adds to a pod the sidecar of the profile that it names or that selects it; other pods stay unchanged. */
export function reviewPod(
  request: AdmissionRequest,
  view: InjectionView,
  options: Omit<SidecarOptions, 'userRange'>,
): AdmissionResponse {
  const { object, operation, namespace = '' } = request;
  if (operation !== 'CREATE' || !isPod(object)) return ALLOWED;
  if (view.areRetired()) return { allowed: true, warnings: [RETIRED] };
  const profiles = [...view.profilesIn(namespace)].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const wanted = object.metadata?.labels?.[PROFILE_LABEL];
  const profile = profiles.find((candidate) => takes(candidate, object, wanted));
  if (profile === undefined) {
    return wanted === undefined ? ALLOWED : refuse(unknownProfile(wanted, namespace, profiles));
  }
  if (view.workspaceOf(namespace) === undefined) return refuse(nobodysNamespace(namespace));
  const injection = inject(object, profile, { ...options, userRange: view.userRangeOf(namespace) });
  if (injection.kind === 'refused') return refuse(injection.message);
  const { warnings } = injection;
  return injection.kind === 'skipped'
    ? { allowed: true, warnings }
    : { allowed: true, warnings, patch: patchOf(object, injection.pod) };
}

/** The API server has validated the pod before. */
const isPod = (object: AdmissionRequest['object']): object is NonNullable<AdmissionRequest['object']> & Pod =>
  isObject(object) &&
  object['kind'] === 'Pod' &&
  isObject(object['spec']) &&
  Array.isArray(object['spec']['containers']);

const takes = ({ metadata, spec }: SidecarProfile, pod: Pod, wanted: string | undefined): boolean =>
  wanted === undefined
    ? spec.selector !== undefined && selects(spec.selector, pod.metadata?.labels ?? {})
    : metadata.name === wanted;

const refuse = (message: string): AdmissionResponse => ({ allowed: false, reason: 'Forbidden', message });

function unknownProfile(wanted: string, namespace: string, profiles: readonly SidecarProfile[]): string {
  const names = profiles.map(({ metadata }) => metadata.name).join(', ');
  const choice = names === '' ? 'the namespace has none' : `the namespace has: ${names}`;
  return `the label ${PROFILE_LABEL} names the SidecarProfile ${wanted}, which does not exist in namespace ${namespace} (${choice}); create it, correct the label of the pod template, or remove the label to run without a sidecar`;
}

const nobodysNamespace = (namespace: string): string =>
  `namespace ${namespace} belongs to no Workspace, so a sidecar in it would have nothing to serve; create a Workspace with spec.namespace ${namespace} and give the namespace its label, or remove the label ${PROFILE_LABEL} from the pod template`;
