/**
 * What the organisation demands of new ApiKeys and Workspaces: metadata, lifetime, rotation. Admission sees which objects are new;
 * where there is none (files), the rules hold for all objects. See docs/guide/tenancy.md#rules-for-new-keys.
 */
import type { Issue } from '@gatehouse/crds';
import { type ApiKey, metadataIssues, type Organisation, type ResourceOf, type Workspace } from '@gatehouse/crds/kinds';
import { DEFAULT_ORGANISATION, type ObjectStates, resourceOf, resourcesOf } from '../../incremental/index.ts';
import type { Lookups } from '../../types/index.ts';
import { type Finding, fromIssue, type ObjectScope } from '../../types/index.ts';

type Bounded = 'ApiKey' | 'Workspace';

export interface NewObjectPolicy {
  /** A document without issues, or undefined. */
  readonly metadataSchema: Organisation['spec']['metadataSchema'];
  readonly maxLifetimeDays: number | undefined;
  readonly userKeyRotationDays: number | undefined;
}

/** The policy for a workspace, whose own members replace those of the organisation. */
export function newObjectPolicy(
  organisation: Pick<Organisation, 'spec'> | undefined,
  workspace: Pick<Workspace, 'spec'> | undefined,
): NewObjectPolicy {
  const own = workspace?.spec.keyPolicy;
  const common = organisation?.spec.keyPolicy;
  return {
    metadataSchema: organisation?.spec.metadataSchema,
    maxLifetimeDays: own?.maxLifetimeDays ?? common?.maxLifetimeDays,
    userKeyRotationDays: own?.userKeyRotationDays ?? common?.userKeyRotationDays,
  };
}

export interface Before {
  /** The object before the write; undefined: it is new. */
  readonly old: Pick<ResourceOf<Bounded>, 'kind' | 'spec'> | undefined;
  /** Unix time of the write in ms; undefined: not known, and lifetimes are not measured. */
  readonly nowMs: number | undefined;
}

const NEW: Before = { old: undefined, nowMs: undefined };
const DAY_MS = 86_400_000;

/** What a written object does not keep to, in the members that the write sets or changes. */
export function newObjectIssues(
  resource: ResourceOf<Bounded>,
  policy: NewObjectPolicy,
  { old, nowMs }: Before = NEW,
): Issue[] {
  const issues: Issue[] = [];
  const { metadata = {} } = resource.spec.defaults ?? {};
  if (policy.metadataSchema !== undefined && (old === undefined || !sameTexts(metadata, old.spec.defaults?.metadata))) {
    for (const { path, ...issue } of metadataIssues(policy.metadataSchema, metadata)) {
      issues.push({ ...issue, path: ['spec', 'defaults', 'metadata', ...path] });
    }
  }
  if (resource.kind !== 'ApiKey') return issues;
  const before = old?.kind === 'ApiKey' ? (old as Pick<ApiKey, 'spec'>) : undefined;
  return [
    ...issues,
    ...lifetimeIssues(resource, policy, { before, nowMs }),
    ...rotationIssues(resource, policy, before),
  ];
}

const sameTexts = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);

interface KeyWrite {
  readonly before: Pick<ApiKey, 'spec'> | undefined;
  readonly nowMs: number | undefined;
}

function lifetimeIssues(
  { spec: { expiresAt } }: ApiKey,
  { maxLifetimeDays }: NewObjectPolicy,
  { before, nowMs }: KeyWrite,
): Issue[] {
  if (maxLifetimeDays === undefined || (before !== undefined && before.spec.expiresAt === expiresAt)) return [];
  const path = ['spec', 'expiresAt'];
  const limit = `keys live ${maxLifetimeDays} days at most (keyPolicy.maxLifetimeDays)`;
  if (expiresAt === undefined) return [{ code: 'invalid', path, message: `is required: ${limit}` }];
  if (nowMs === undefined || Date.parse(expiresAt) <= nowMs + maxLifetimeDays * DAY_MS) return [];
  return [{ code: 'invalid', path, message: `is too late: ${limit}` }];
}

/** Keys that the operator does not generate cannot be rotated by it. */
function rotationIssues(
  { spec }: ApiKey,
  { userKeyRotationDays }: NewObjectPolicy,
  before: KeyWrite['before'],
): Issue[] {
  const { type, rotation } = spec;
  if (userKeyRotationDays === undefined || type !== 'workspace-user' || rotation === undefined) return [];
  if (before !== undefined && JSON.stringify(before.spec.rotation) === JSON.stringify(rotation)) return [];
  if (rotation.periodDays === userKeyRotationDays && rotation.period === undefined) return [];
  const message = `keys of people are rotated every ${userKeyRotationDays} days (keyPolicy.userKeyRotationDays): write that, or leave rotation out`;
  return [{ code: 'invalid', path: ['spec', 'rotation', 'periodDays'], message }];
}

/** Where no admission sees which objects are new, every object keeps to the policy. */
export function policyFindings(
  resource: ResourceOf<Bounded>,
  { settings, workspace }: Pick<ObjectScope, 'settings' | 'workspace'>,
  view: Pick<Lookups, 'find'>,
): Finding[] {
  if (settings.withoutAdmission !== true) return [];
  const organisation = view.find('Organisation', '', ORGANISATION_NAME);
  const own = resource.kind === 'Workspace' || workspace === null ? undefined : view.find('Workspace', '', workspace);
  return newObjectIssues(resource, newObjectPolicy(organisation, own)).map(fromIssue);
}

const ORGANISATION_NAME = DEFAULT_ORGANISATION.metadata.name;

/** The policy for objects of a namespace (undefined: cluster-scoped), as the resources have it now. */
export function policyIn(states: ObjectStates, namespace: string | undefined): NewObjectPolicy {
  const owner =
    namespace === undefined
      ? undefined
      : resourcesOf(states, 'Workspace').find(({ spec }) => spec.namespace === namespace);
  return newObjectPolicy(resourceOf(states, 'Organisation', ORGANISATION_NAME), owner);
}
