/** SidecarProfiles: the mounted copy of each workspace that has one, and what is to be said about them. */
export { slimPod } from './census.ts';
export { podsByProfile, type SidecarProfileControllerOptions, sidecarProfileController } from './controller.ts';
export { PODS, type SidecarPod, type SidecarProfileObject, type SidecarView } from './ports.ts';
