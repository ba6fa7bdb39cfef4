/** Rules of roles as named templates of the chart. */
import { type AnyKind, GROUP, KINDS } from '@gatehouse/crds/kinds';
import { stringify } from 'yaml';
import { type RoleRule, rolesOf } from '../src/rbac.ts';
import { OPERATOR_RULES } from '../src/rbac-rules.ts';

const kinds: readonly AnyKind[] = Object.values(KINDS);

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Kinds that run pods: for the admins of a namespace, as Deployments with credentials would be. */
const RUNS_PODS: ReadonlySet<string> = new Set(['GatewayFleet', 'SidecarProfile']);

const ruleOf = (chosen: readonly AnyKind[], verbs: readonly string[]): RoleRule => ({
  apiGroups: [GROUP],
  resources: chosen.map(({ plural }) => plural),
  verbs,
});

/** What people may do, added to the roles of the cluster; each role has what the one before it has. */
const PEOPLE: Readonly<Record<string, readonly RoleRule[]>> = {
  view: [ruleOf(kinds, READ)],
  edit: [
    ruleOf(
      kinds.filter(({ kind, scope }) => scope === 'Namespaced' && !RUNS_PODS.has(kind)),
      WRITE,
    ),
  ],
  // Kinds without a namespace count only where the role is bound for the whole cluster.
  admin: [
    ruleOf(
      kinds.filter(({ kind, scope }) => scope === 'Cluster' || RUNS_PODS.has(kind)),
      WRITE,
    ),
  ],
};

/** `_rules.tpl`: the rules of every role that follows from code. */
export function rulesTemplate(): string {
  const { cluster, watched, own } = rolesOf(OPERATOR_RULES);
  const all = { 'operator.cluster': cluster, 'operator.watched': watched, 'operator.own': own, ...PEOPLE };
  return Object.entries(all)
    .map(
      ([name, rules]) => `{{- define "gatehouse.rules.${name}" -}}\n${stringify(rules, { lineWidth: 0 })}{{- end }}\n`,
    )
    .join('\n');
}
