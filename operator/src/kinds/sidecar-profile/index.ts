/** SidecarProfiles: the mounted copy of each workspace that has one, and what is to be said about them. */
export { slimPod } from './census.ts';
export { podsByProfile, type SidecarProfileControllerOptions, sidecarProfileController } from './controller.ts';
export { isOurs } from './copies.ts';
export {
  COPY_CONFIG_MAPS,
  COPY_SECRETS,
  PODS,
  type SidecarCopy,
  type SidecarPod,
  type SidecarProfileObject,
  type SidecarView,
} from './ports.ts';
