/** The objects whose budgets gateways count. */
import { isObject } from '@gatehouse/crds';
import { isKindName, type KindName } from '@gatehouse/crds/kinds';
import type { BudgetRow } from '@gatehouse/crds/usage';
import { type KubeObject, keyOf, type ObjectKey } from '../runtime/index.ts';
import { originsOf } from '../translate/index.ts';

/** Kinds with budgets. */
export const BUDGET_KINDS = [
  'Workspace',
  'ApiKey',
  'VirtualKey',
  'Provider',
  'IntegrationAccess',
  'UsageLimitPolicy',
] as const satisfies readonly KindName[];

/** Those that count for each group or workspace by itself. */
const COUNTED_APART: ReadonlySet<string> = new Set<KindName>(['IntegrationAccess', 'UsageLimitPolicy']);

export const isCountedApart = ({ kind }: Pick<KubeObject, 'kind'>): boolean => COUNTED_APART.has(kind);

export interface ObjectSource {
  /** The object as it is in the cache now. */
  live(kind: KindName, key: ObjectKey): KubeObject | undefined;
  /** The namespace of what belongs to no workspace. */
  readonly organisationNamespace: string;
}

/** Whom a counter belongs to; null for the organisation, undefined for a row that contradicts itself. */
export function workspaceOf({ id, slot, owner }: BudgetRow): string | null | undefined {
  const [, workspace = ''] = owner.id.split('/');
  const isWhole = id.startsWith(`${owner.id}|`) && slot === workspace;
  if (!isWhole) return undefined;
  return workspace === '' ? null : workspace;
}

/** The object that has the budget; undefined where there is none. */
export function ownerOf(row: BudgetRow, source: ObjectSource): KubeObject | undefined {
  return candidatesOf(row, source).find((object) => budgetNames(object).has(row.name));
}

function candidatesOf({ owner }: BudgetRow, source: ObjectSource): KubeObject[] {
  const { live, organisationNamespace } = source;
  if (owner.kind === 'access') {
    const name = owner.id.split('/').slice(2).join('/');
    const object = live('IntegrationAccess', keyOf({ namespace: organisationNamespace, name }));
    return object === undefined ? [] : [object];
  }
  return originsOf(owner.id).flatMap((origin) => {
    const [kind = '', workspace = '', ...rest] = origin.split('/');
    const name = rest.join('/');
    if (!isKindName(kind)) return [];
    if (kind === 'Workspace') return live(kind, name) ?? [];
    const namespace = workspace === '' ? organisationNamespace : namespaceOfWorkspace(live('Workspace', workspace));
    return namespace === undefined ? [] : (live(kind, keyOf({ namespace, name })) ?? []);
  });
}

function namespaceOfWorkspace(workspace: KubeObject | undefined): string | undefined {
  const namespace = specOf(workspace)['namespace'];
  return typeof namespace === 'string' ? namespace : undefined;
}

const specOf = (object: KubeObject | undefined): Readonly<Record<string, unknown>> =>
  object !== undefined && 'spec' in object && isObject(object.spec) ? object.spec : {};

/** The names of the budgets in its spec; the one of a policy has the policy's name. */
export function budgetNames(object: KubeObject): ReadonlySet<string> {
  if (object.kind === 'UsageLimitPolicy') return new Set([object.metadata.name]);
  const { usageLimits } = specOf(object);
  const names = Array.isArray(usageLimits)
    ? usageLimits.map((limit: unknown) => (isObject(limit) ? String(limit['name']) : ''))
    : [];
  return new Set(names);
}
