/** Exports of logs. docs/behaviour/request-logs.md#exports */
export { createLogExports, type ExportLimits, type LogExports, type LogExportsOptions } from './exports.ts';
export { readFile } from './file.ts';
export type { ExportJobs, ExportScope } from './jobs.ts';
export { isGoodLink, linkOf, newLinkKey } from './links.ts';
export type { ExportSource } from './run-export.ts';
export { exportSourceOf } from './source.ts';
