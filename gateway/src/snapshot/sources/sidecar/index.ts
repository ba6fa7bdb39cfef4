export { createSidecarSource, type SidecarSourceSettings } from './sidecar-source.ts';
