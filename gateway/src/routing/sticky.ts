import { createHash } from 'node:crypto';
import type { StickyField, StickyPlan } from './plan.ts';

export interface SessionFacts {
  /** SHA-256 of the gateway key; the key itself is not stored. */
  readonly keyHash: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  header(name: string): string | undefined;
}

/** The storage key of a session's choice; the path of the strategy tells two balancers of one config apart. */
export function stickyKey(plan: StickyPlan, branch: string, facts: SessionFacts): string {
  const parts = [facts.keyHash, branch];
  for (const field of plan.fields) {
    const value = readField(field, facts);
    if (value !== '') parts.push(`${field.name}:${value}`);
  }
  return `sticky:loadbalance:${plan.version}:${createHash('sha256').update(parts.join('|')).digest('hex')}`;
}

function readField({ source, path }: StickyField, facts: SessionFacts): string {
  if (source === 'headers') return facts.header(path[0] ?? '') ?? '';
  let value: unknown = facts[source];
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return '';
    value = (value as Record<string, unknown>)[segment]; // just checked: an own member of an object
  }
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
