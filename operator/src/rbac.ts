/** Rights of the operator: rules are in `rbac.ts` beside the code that needs them, and become roles here. */

/**
 * Where a rule applies. `cluster`: everywhere, also in an installation for named namespaces. `watched`: the namespaces that the
 * operator watches. `own`: the namespace of the operator. The platform team grants the other two namespace by namespace:
 * `fleet`, where gateways may run, and `workspace`, whose Secrets the operator may read.
 */
export type RuleScope = 'cluster' | 'watched' | 'own' | 'fleet' | 'workspace';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope: RuleScope;
}

/** A rule as in a Role or ClusterRole. */
export type RoleRule = Omit<PolicyRule, 'scope'>;

/** Verbs that would allow more than these rules show. */
const FORBIDDEN_VERBS = new Set(['escalate', 'impersonate', '*']);

const VERB_ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'bind'];

export type RuleGroup = Exclude<RuleScope, 'fleet' | 'workspace'> | 'fleets' | 'fleetSecrets' | 'workspaceSecrets';

/**
 * The rules of each group in their shortest form, independent of their order. Rights on Secrets are groups of their own, so
 * that granting the others grants none of them. Throws on a wildcard, on `escalate` and `impersonate`, on `bind` without names,
 * on rights on Secrets in all namespaces, and on `list` of Secrets anywhere.
 */
export function rolesOf(rules: readonly PolicyRule[]): Readonly<Record<RuleGroup, readonly RoleRule[]>> {
  const problems = rules.flatMap(problemsOf);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const of = (scope: RuleScope, secrets?: boolean): RoleRule[] =>
    toRoleRules(
      rules.filter((rule) => rule.scope === scope && (secrets === undefined || isOnSecrets(rule) === secrets)),
    );
  return {
    cluster: of('cluster'),
    watched: of('watched'),
    own: of('own'),
    fleets: of('fleet', false),
    fleetSecrets: of('fleet', true),
    workspaceSecrets: of('workspace'),
  };
}

const isOnSecrets = ({ apiGroups, resources }: PolicyRule): boolean =>
  apiGroups.includes('') && resources.includes('secrets');

function problemsOf(rule: PolicyRule): string[] {
  const { apiGroups, resources, verbs, resourceNames = [] } = rule;
  const what = `${verbs.join(',')} ${resources.join(',')}`;
  const wild = [...apiGroups, ...resources, ...resourceNames].some((name) => name.includes('*'));
  const forbidden = verbs.filter((verb) => FORBIDDEN_VERBS.has(verb));
  return [
    ...(wild ? [`${what}: a wildcard`] : []),
    ...forbidden.map((verb) => `${what}: the verb ${verb}`),
    ...(verbs.includes('bind') && resourceNames.length === 0 ? [`${what}: bind without names`] : []),
    ...secretProblemsOf(rule).map((problem) => `${what}: ${problem}`),
  ];
}

function secretProblemsOf(rule: PolicyRule): string[] {
  const { apiGroups, resources, scope, verbs } = rule;
  if (!isOnSecrets(rule)) return scope === 'workspace' ? ['in a workspace nothing but Secrets needs a grant'] : [];
  const isEverywhere = scope === 'cluster' || scope === 'watched';
  return [
    ...(isEverywhere ? ['Secrets everywhere: the scope is own, fleet or workspace'] : []),
    ...(verbs.includes('list') ? ['a list of Secrets'] : []),
    ...(apiGroups.length + resources.length > 2 ? ['Secrets and something else in one rule'] : []),
  ];
}

interface Permission {
  readonly group: string;
  readonly names: readonly string[];
  readonly resource: string;
  readonly verbs: readonly string[];
}

function toRoleRules(rules: readonly PolicyRule[]): RoleRule[] {
  const all = permissionsOf(rules);
  const needed = all.filter((permission) => !all.some((other) => covers(other, permission)));
  const alike = Map.groupBy(needed, ({ group, names, verbs }) => JSON.stringify([group, names, verbs]));
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

/** Whether a permission without names includes one with names. */
const covers = (wide: Permission, narrow: Permission): boolean =>
  wide.names.length === 0 &&
  narrow.names.length > 0 &&
  wide.group === narrow.group &&
  wide.resource === narrow.resource &&
  narrow.verbs.every((verb) => wide.verbs.includes(verb));

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

/** ClusterRoles of the chart that the platform team binds namespace by namespace. */
export const BOUND_ROLES = {
  workspaceSecrets: 'gatehouse-workspace-secrets',
  fleets: 'gatehouse-fleets',
  fleetSecrets: 'gatehouse-fleet-secrets',
} as const;

/** The ServiceAccount that the operator runs as. */
export interface OperatorAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The account that the chart creates. */
export const DEFAULT_ACCOUNT: OperatorAccount = { namespace: 'gatehouse-system', name: 'gatehouse-operator' };

const commandFor = (role: string, { namespace, name }: OperatorAccount, place: string): string =>
  `kubectl create rolebinding ${role} --namespace ${place} --clusterrole=${role} --serviceaccount=${namespace}:${name}`;

/** The command that lets the operator use Secrets of a workspace's namespace. */
export const secretsCommand = (account: OperatorAccount, namespace: string): string =>
  commandFor(BOUND_ROLES.workspaceSecrets, account, namespace);

/** The command that lets the operator run gateways in a namespace. */
export const fleetsCommand = (account: OperatorAccount, namespace: string): string =>
  [BOUND_ROLES.fleets, BOUND_ROLES.fleetSecrets].map((role) => commandFor(role, account, namespace)).join(' && ');

/** The command that lets the operator read ServiceAccounts of a namespace that it does not watch. */
export function accountsCommand({ namespace, name }: OperatorAccount, place: string): string {
  const role = 'gatehouse-service-accounts';
  return (
    `kubectl create role ${role} --namespace ${place} --verb=get,watch --resource=serviceaccounts && ` +
    `kubectl create rolebinding ${role} --namespace ${place} --role=${role} --serviceaccount=${namespace}:${name}`
  );
}

/** Why no token of a ServiceAccount can be checked, and what to do about it. */
export const issuerUnread = (account: OperatorAccount): string =>
  `the operator cannot read who signs them (/.well-known/openid-configuration and /openid/v1/jwks of the API server); where the built-in binding was removed, grant it with: ${issuerCommand(account)}`;

/** The command that lets the operator read who signs tokens of ServiceAccounts, where the built-in binding was removed. */
const issuerCommand = ({ namespace, name }: OperatorAccount): string =>
  `kubectl create clusterrolebinding gatehouse-issuer-discovery --clusterrole=system:service-account-issuer-discovery --serviceaccount=${namespace}:${name}`;
