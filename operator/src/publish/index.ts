/**
 * Publishes Snapshots to gateways as immutable shards and a fenced manifest, and collects the acknowledgements of pods. See
 * docs/behaviour/publishing.md.
 */

export {
  type Acknowledgement,
  type Acknowledgements,
  type AcknowledgementsOptions,
  createAcknowledgements,
  type FleetPod,
  originOf,
  type PodAnswer,
  type RejectedVersion,
  readText,
  type SkippedEntry,
  servesContent,
} from './acknowledge/index.ts';
export type { FleetIdentity } from './objects.ts';
export { createPublishMaintenance, type PublishMaintenance } from './publish-maintenance.ts';
export { createPublishedWatch, type PublishedWatch } from './published-watch.ts';
export {
  createPublisher,
  DELETIONS_PER_SECOND,
  type Published,
  type Publisher,
  type PublisherOptions,
  type Repaired,
} from './publisher.ts';
export type { ReportedRevision } from './revision-memory.ts';
