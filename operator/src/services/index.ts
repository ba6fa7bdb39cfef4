/** The endpoints of Services that resources of workspaces name. */
export { createServiceReadings, type ServiceReadings, type ServiceReadingsOptions } from './service-readings.ts';
