/**
 * Fields that this version parses and refuses, because nothing implements them yet: never ignored. The feature that
 * implements them deletes their row.
 */

import { isObject } from '../lib/result.ts';
import type { Issue } from '../schema/index.ts';
import type { KindName } from './registry.ts';

export interface UnsupportedFeature {
  /** Completes "… not part of this version". */
  readonly feature: string;
  /** Field paths by Kind; `[]` is every item. */
  readonly fields: Readonly<Partial<Record<KindName, readonly string[]>>>;
  /** Only this value of the fields is refused. */
  readonly value?: string | boolean;
}

export const UNSUPPORTED: readonly UnsupportedFeature[] = [
  {
    feature: 'limits of tool calls are',
    fields: { RateLimitPolicy: ['spec.target'] },
    value: 'mcp_tools',
  },
  { feature: 'e-mails are', fields: { ApiKey: ['spec.alertEmails'] } },
];

type Path = readonly (string | number)[];
type Found = readonly [Path, unknown];

/** Unsupported fields and values of a parsed resource; absent fields and empty lists pass. */
export function unsupportedFields(kind: KindName, resource: unknown): Issue[] {
  return UNSUPPORTED.flatMap((row) =>
    unsupportedPaths(row, kind, resource).map(
      (path): Issue => ({ code: 'unsupported', path, message: `${row.feature} not part of this version` }),
    ),
  );
}

function unsupportedPaths({ fields, value }: UnsupportedFeature, kind: KindName, resource: unknown): Path[] {
  return (fields[kind] ?? [])
    .flatMap((field) => find(resource, field.split('.')))
    .filter(([, found]) => (value === undefined ? isSet(found) : found === value))
    .map(([path]) => path);
}

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function find(value: unknown, steps: readonly string[], path: Path = []): Found[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [[path, value]];
  if (!isObject(value)) return [];
  const name = step.replace('[]', '');
  const member = value[name];
  if (step === name) return find(member, rest, [...path, name]);
  return Array.isArray(member) ? member.flatMap((item, i) => find(item, rest, [...path, name, i])) : [];
}
