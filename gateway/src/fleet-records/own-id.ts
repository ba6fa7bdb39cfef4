import type { Pod } from '../fleet-counters/index.ts';
import { hashId } from '../lib/hash-id.ts';

/**
 * The id of a row by the one that its sidecar has made: no pod can choose that of another row, and a row that comes again has the
 * same one.
 */
export const ownId = ({ id: pod, workspace }: Pick<Pod, 'id' | 'workspace'>, given: string): string =>
  hashId([workspace, pod, given.toLowerCase()]);
