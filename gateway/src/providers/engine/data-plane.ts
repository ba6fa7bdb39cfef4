/**
 * Which paths proxied calls reach with a stored credential: the ones a provider lists. Administrative
 * paths under the same key (users, keys, billing, logging, deployments) are left to the account's owner.
 */
import type { TargetFields } from '../contract.ts';
import { compilePattern, matchPattern, type ProxiedCall, segmentsOf } from './path-pattern.ts';

export interface DataPlane {
  /** Whether the call is for one of the paths; `place` gives the value of a `{name}` of a pattern. */
  admits(call: ProxiedCall, place: (name: string) => string | undefined): boolean;
}

export function compileDataPlane(patterns: readonly string[]): DataPlane {
  const compiled = patterns.map(compilePattern);
  return {
    admits: ({ method, path }, place) => {
      const segments = segmentsOf(path);
      return (
        segments !== undefined &&
        compiled.some((pattern) => matchPattern(pattern, { method, segments }, place) !== undefined)
      );
    },
  };
}

/** The values of the `{name}`s of patterns: the provider's own, else the fields of the account. */
export const placesOf =
  (fields: TargetFields, own: ((name: string, fields: TargetFields) => string | undefined) | undefined) =>
  (name: string): string | undefined =>
    own?.(name, fields) ?? fields.text(name);
