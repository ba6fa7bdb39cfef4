/** Rules of roles as named templates of the chart. */
import { type AnyKind, GROUP, KINDS, SCOPES } from '@gatehouse/crds/kinds';
import { stringify } from 'yaml';
import { BOUND_ROLES, type RoleRule, rolesOf } from '../src/rbac.ts';
import { MANAGEMENT_RULES, OPERATOR_FEATURES, OPERATOR_RULES, RUNS_PODS } from '../src/rbac-rules.ts';

const kinds: readonly AnyKind[] = Object.values(KINDS);

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const ruleFor = (resources: readonly string[], verbs: readonly string[]): RoleRule => ({
  apiGroups: [GROUP],
  resources,
  verbs,
});

const ruleOf = (chosen: readonly AnyKind[], verbs: readonly string[]): RoleRule =>
  ruleFor(
    chosen.map(({ plural }) => plural),
    verbs,
  );

/** Numbers of pods, for `kubectl scale`: a right of its own. */
const scaleOf = (verbs: readonly string[]): RoleRule =>
  ruleFor(
    kinds.filter(({ scale }) => scale !== undefined).map(({ plural }) => `${plural}/scale`),
    verbs,
  );

/**
 * What people may do, added to the roles of the cluster; each role includes the one before it. Kinds that run pods are for the
 * admins of a namespace, as Deployments with credentials are.
 */
const PEOPLE: Readonly<Record<string, readonly RoleRule[]>> = {
  view: [ruleOf(kinds, READ), scaleOf(['get'])],
  edit: [
    ruleOf(
      kinds.filter(({ kind, scope }) => scope === 'Namespaced' && !RUNS_PODS.has(kind)),
      WRITE,
    ),
  ],
  // Cluster-scoped Kinds count only where the role is bound for the whole cluster.
  admin: [
    ruleOf(
      kinds.filter(({ kind, scope }) => scope === 'Cluster' || RUNS_PODS.has(kind)),
      WRITE,
    ),
    scaleOf(['update', 'patch']),
  ],
};

/** `_rules.tpl`: the rules of every role that follows from code, and which features have which. */
export function rulesTemplate(): string {
  const features = Object.entries(OPERATOR_FEATURES).map(([name, rules]) => ({ name, ...rolesOf(rules) }));
  const { own, fleets, fleetSecrets, workspaceSecrets } = rolesOf(OPERATOR_RULES);
  const management = rolesOf(MANAGEMENT_RULES);
  const all: Readonly<Record<string, readonly RoleRule[]>> = {
    ...Object.fromEntries(
      features.flatMap(({ name, cluster, watched }) => [
        [`operator.${name}.cluster`, cluster],
        [`operator.${name}.watched`, watched],
      ]),
    ),
    'operator.own': own,
    fleets,
    fleetSecrets,
    workspaceSecrets,
    'management.cluster': management.cluster,
    'management.watched': management.watched,
    'management.secrets': management.workspaceSecrets,
    ...PEOPLE,
  };
  const defined = Object.entries(all)
    .filter(([, rules]) => rules.length > 0)
    .map(([name, rules]) => definition(`rules.${name}`, `\n${stringify(rules, { lineWidth: 0 })}`));
  const table = features.map(({ name, cluster, watched }) => ({
    name,
    cluster: cluster.length > 0,
    watched: watched.length > 0,
  }));
  const names = Object.entries(BOUND_ROLES).map(([group, name]) => definition(`role.${group}`, name));
  return [
    ...defined,
    definition('operatorFeatures', JSON.stringify(table)),
    definition('adminScopes', JSON.stringify(ADMIN_SCOPES)),
    ...names,
  ].join('\n');
}

/** Every scope that a key of the organisation may have. */
const ADMIN_SCOPES: readonly string[] = [...SCOPES].flatMap(([scope, types]) =>
  types.includes('organisation-service') ? [scope] : [],
);

const definition = (name: string, text: string): string => `{{- define "gatehouse.${name}" -}}${text}{{- end }}\n`;
