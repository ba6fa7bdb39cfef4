/** The limits of the grants by which workspaces use an account of the organisation. */
import type { AccessBody } from '@gatehouse/crds/snapshot';
import { compileLimits, NO_LIMITS, type OwnerLimits } from './owner-limits.ts';

/** Means every workspace that has no grant of its own. */
const ALL_WORKSPACES = '*';
const NONE = (): OwnerLimits => NO_LIMITS;

/** By workspace; the limits of a grant for all are counted for each of them. */
export function compileAccesses(accesses: readonly AccessBody[] = []): (workspace: string) => OwnerLimits {
  if (accesses.length === 0) return NONE;
  const grants = new Map(accesses.map((access) => [access.workspace, access]));
  // Workspaces are those of callers, so that it grows no further than the Snapshot.
  const compiled = new Map<string, OwnerLimits>();
  return (workspace) => {
    const known = compiled.get(workspace);
    if (known !== undefined) return known;
    const grant = grants.get(workspace) ?? grants.get(ALL_WORKSPACES);
    const subject = `access/${workspace}/${grant?.name}`;
    const limits = grant === undefined ? NO_LIMITS : compileLimits({ subject, workspace }, grant);
    compiled.set(workspace, limits);
    return limits;
  };
}
