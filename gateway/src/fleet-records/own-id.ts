import { createHash } from 'node:crypto';
import type { Pod } from '../fleet-counters/index.ts';

const SEPARATOR = '\0';

/**
 * The id of a row by the one that its sidecar has made: no pod can choose that of another row, and a row that comes again has the
 * same one. A UUID of version 8 (RFC 9562, section 5.8).
 */
export function ownId({ id: pod, workspace }: Pick<Pod, 'id' | 'workspace'>, given: string): string {
  const text = [workspace, pod, given.toLowerCase()].join(SEPARATOR);
  const digits = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}
