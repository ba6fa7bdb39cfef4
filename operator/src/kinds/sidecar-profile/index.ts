/** SidecarProfile: the mounted copy of the Snapshot in each namespace with one, and the statuses of profiles. */

export { podsByProfile, type SidecarProfileControllerOptions, sidecarProfileController } from './controller.ts';
export { isOurs } from './copies.ts';
export { CA_MEMBER, INJECTED_ANNOTATION, PROFILE_LABEL, SIDECAR_CONTAINER, SIDECAR_COPY } from './names.ts';
export { slimPod } from './pod-counts.ts';
export {
  COPY_CONFIG_MAPS,
  COPY_SECRETS,
  PODS,
  type ProfileFleet,
  type ProfileView,
  type SidecarCopy,
  type SidecarPod,
  type SidecarProfileObject,
} from './ports.ts';
