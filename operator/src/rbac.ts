/** What the operator may do: rules stand in `rbac.ts` next to the code that needs them and become roles here (engineering 8.10). */

/**
 * Where a rule holds. `cluster`: everywhere, also in an installation for named namespaces. `watched`: the namespaces the
 * operator watches, all unless told. `own`: the namespace of the operator.
 */
export type RuleScope = 'cluster' | 'watched' | 'own';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope: RuleScope;
}

/** A rule as it stands in a Role or ClusterRole. */
export type RoleRule = Omit<PolicyRule, 'scope'>;

/** Verbs that would hand out more rights than these rules show. */
const FORBIDDEN_VERBS = new Set(['escalate', 'impersonate', '*']);

const VERB_ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'bind'];

/**
 * The rules of each scope in their shortest form: same rules, same result, in whatever order they come. Throws on a
 * wildcard, on `escalate` and `impersonate`, and on `bind` without names.
 */
export function rolesOf(rules: readonly PolicyRule[]): Readonly<Record<RuleScope, readonly RoleRule[]>> {
  const problems = rules.flatMap(problemsOf);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const of = (scope: RuleScope): RoleRule[] => toRoleRules(rules.filter((rule) => rule.scope === scope));
  return { cluster: of('cluster'), watched: of('watched'), own: of('own') };
}

function problemsOf({ apiGroups, resources, verbs, resourceNames = [] }: PolicyRule): string[] {
  const what = `${verbs.join(',')} ${resources.join(',')}`;
  const wild = [...apiGroups, ...resources, ...resourceNames].some((name) => name.includes('*'));
  const forbidden = verbs.filter((verb) => FORBIDDEN_VERBS.has(verb));
  return [
    ...(wild ? [`${what}: a wildcard`] : []),
    ...forbidden.map((verb) => `${what}: the verb ${verb}`),
    ...(verbs.includes('bind') && resourceNames.length === 0 ? [`${what}: bind without names`] : []),
  ];
}

interface Permission {
  readonly group: string;
  readonly names: readonly string[];
  readonly resource: string;
  readonly verbs: readonly string[];
}

function toRoleRules(rules: readonly PolicyRule[]): RoleRule[] {
  const alike = Map.groupBy(permissionsOf(rules), ({ group, names, verbs }) => JSON.stringify([group, names, verbs]));
  return [...alike.keys()].sort().flatMap((key) => {
    const permissions = alike.get(key) ?? [];
    return permissions.slice(0, 1).map(({ group, names, verbs }) => ({
      apiGroups: [group],
      resources: permissions.map(({ resource }) => resource).sort(),
      ...(names.length === 0 ? {} : { resourceNames: names }),
      verbs,
    }));
  });
}

/** One permission per resource and set of names, with all its verbs. */
function permissionsOf(rules: readonly PolicyRule[]): Permission[] {
  const single = rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
    apiGroups.flatMap((group) =>
      resources.map((resource) => ({ group, resource, verbs, names: sorted(resourceNames) })),
    ),
  );
  const same = Map.groupBy(single, ({ group, resource, names }) => JSON.stringify([group, resource, names]));
  return [...same.values()].flatMap((permissions) =>
    permissions
      .slice(0, 1)
      .map((permission) => ({ ...permission, verbs: inVerbOrder(permissions.flatMap(({ verbs }) => verbs)) })),
  );
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();

const inVerbOrder = (verbs: readonly string[]): string[] =>
  sorted(verbs).sort((a, b) => VERB_ORDER.indexOf(a) - VERB_ORDER.indexOf(b));
