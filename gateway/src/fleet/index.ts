/** The way from a sidecar to the fleet that has the credentials of the organisation; docs/behaviour/sidecars.md. */
export { createFleetLink, type FleetAddress, type FleetLink, type FleetRequest } from './fleet-link.ts';
