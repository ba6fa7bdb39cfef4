/** The loop of the operator: world, translation, publication, acknowledgement, statuses. */
export { type FleetName, type LastPublished, readPublished } from './last-published.ts';
export { createProgramMetrics, PROGRAM_METRICS, type ProgramMetrics } from './metrics.ts';
export type { FleetCounts, FleetParts, FleetPlace, FleetPorts, Placement, StatusPorts } from './ports.ts';
export { createProgram, type Program, type ProgramOptions } from './program.ts';
export { isServed, type Programming, toStatus } from './status.ts';
export {
  type Before,
  createTranslations,
  type Translated,
  type Translations,
  type TranslationsOptions,
} from './translations.ts';
