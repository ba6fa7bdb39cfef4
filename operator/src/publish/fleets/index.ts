/** Publishes to each fleet the part of the Snapshot that it may hold, and follows how far its pods are. */
export { servesWorkspace } from './fleet-snapshot.ts';
export { createFleets, type Fleets, type FleetsOptions } from './fleets.ts';
export { type FleetName, type LastPublished, readPublished } from './last-published.ts';
export type { FleetCounts, FleetParts, FleetPorts, Placement, PublishTarget } from './ports.ts';
export { PROGRAMMED, type ProgrammedQuery, type ProgrammedState } from './programmed.ts';
