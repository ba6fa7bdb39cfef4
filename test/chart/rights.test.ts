import { describe, expect, test } from 'vitest';
import { BOUND_ROLES } from '../../operator/src/rbac.ts';
import { at, FLEET_NAMESPACE, find, idOf, type Manifest, NAMESPACE, render } from './helm.ts';
import { EVERYTHING } from './values.ts';

const rulesOf = (role: Manifest): Record<string, string[] | undefined>[] =>
  (at(role, 'rules') ?? []) as Record<string, string[] | undefined>[]; // roles have no other rules

/** Roles of the operator by where they are bound. */
const boundRoles = (objects: readonly Manifest[], kind: string) =>
  objects
    .filter((object) => object.kind === kind && at(object, 'roleRef.kind') === 'ClusterRole')
    .map((object) => ({ role: String(at(object, 'roleRef.name')), namespace: object.metadata.namespace }));

describe('what is rendered', () => {
  test('grants no wildcard, and lists no Secrets', async () => {
    const roles = (await render(EVERYTHING)).filter(({ kind }) => kind.endsWith('Role'));
    const rules = roles.flatMap(rulesOf);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.flatMap((rule) => Object.values(rule).flat()).filter((word) => word?.includes('*'))).toEqual([]);
    for (const { resources, verbs } of rules) if (resources?.includes('secrets')) expect(verbs).not.toContain('list');
  });

  test('grants rights on Secrets, and on what runs, in named namespaces alone', async () => {
    const objects = await render({ ...EVERYTHING, fleetNamespaces: ['edge'], secrets: { namespaces: ['team-a'] } });
    const forbidden = ['secrets', 'deployments', 'rolebindings', 'clusterroles'];
    const everywhere = new Set(boundRoles(objects, 'ClusterRoleBinding').map(({ role }) => role));
    for (const role of everywhere) {
      for (const { resources = [], verbs = [] } of rulesOf(find(objects, `ClusterRole//${role}`))) {
        const writes = verbs.some((verb) => verb !== 'list' && verb !== 'watch');
        if (writes || resources.includes('secrets')) {
          expect([role, resources.filter((name) => forbidden.includes(name))]).toEqual([role, []]);
        }
      }
    }
    const placesOf = (role: string) =>
      boundRoles(objects, 'RoleBinding').flatMap((bound) => (bound.role === role ? [bound.namespace] : []));
    expect(placesOf('gatehouse-workspace-secrets')).toEqual([NAMESPACE, 'team-a']);
    for (const role of ['gatehouse-fleets', 'gatehouse-fleet-secrets']) {
      expect(placesOf(role)).toEqual(['edge', FLEET_NAMESPACE]);
    }
  });

  test('binds roles under other names than the commands that it prints', async () => {
    const objects = await render({ ...EVERYTHING, secrets: { namespaces: ['team-a'] } });
    const names = objects.flatMap(({ kind, metadata }) => (kind === 'RoleBinding' ? [metadata.name] : []));
    expect(names).toContain('gatehouse-operator-workspace-secrets');
    expect(names.filter((name) => Object.values<string>(BOUND_ROLES).includes(name))).toEqual([]);
  });

  test('grants all Secrets of the cluster to who asks for it, and no more', async () => {
    const objects = await render({ secrets: { clusterWide: true } });
    const added = (await render()).map(idOf);
    expect(objects.map(idOf).filter((id) => !added.includes(id))).toEqual([
      'ClusterRoleBinding//gatehouse-workspace-secrets',
    ]);
  });

  test('for named namespaces has nothing of them in a ClusterRole that is bound everywhere', async () => {
    const objects = await render({ watchNamespaces: ['team-a'] });
    const clusterWide = boundRoles(objects, 'ClusterRoleBinding').flatMap(({ role }) =>
      rulesOf(find(objects, `ClusterRole//${role}`)).flatMap(({ resources }) => resources),
    );
    expect(clusterWide).not.toContain('apikeys');
    expect(clusterWide).not.toContain('pods');
    expect(clusterWide).toContain('workspaces');
    const places = boundRoles(objects, 'RoleBinding').filter(
      ({ role }) => role === 'gatehouse-operator-resources-watched',
    );
    expect(places.map(({ namespace }) => namespace)).toEqual([FLEET_NAMESPACE, NAMESPACE, 'team-a'].sort());
  });

  test('lets the management API write Secrets in named namespaces, read none, and run no pods', async () => {
    const objects = await render({ secrets: { namespaces: ['team-a'] } });
    const isOurs = ({ metadata }: Manifest): boolean => metadata.name.startsWith('gatehouse-management');
    const rules = objects.filter((object) => object.kind === 'ClusterRole' && isOurs(object)).flatMap(rulesOf);
    const onSecrets = rules.filter(({ resources }) => resources?.includes('secrets'));
    expect(onSecrets.map(({ verbs }) => verbs)).toEqual([['create', 'patch']]);
    const written = rules.filter(({ verbs }) => verbs?.includes('create')).flatMap(({ resources }) => resources);
    expect(written).toContain('virtualkeys');
    expect(written).not.toContain('gatewayfleets');
    expect(written).not.toContain('sidecarprofiles');
    const places = boundRoles(objects, 'RoleBinding').filter(({ role }) => role === 'gatehouse-management-secrets');
    expect(places.map(({ namespace }) => namespace)).toEqual([NAMESPACE, 'team-a']);
    const everywhere = boundRoles(objects, 'ClusterRoleBinding').map(({ role }) => role);
    expect(everywhere).not.toContain('gatehouse-management-secrets');
    expect((await render({ management: { enabled: false } })).filter(isOurs)).toEqual([]);
  });

  test('lets gateways of fleets connect to the management API, and nobody else', async () => {
    const objects = await render({ workspaceFleetNamespaces: ['team-b'] });
    const policy = find(objects, `NetworkPolicy/${NAMESPACE}/gatehouse-management`);
    expect(at(policy, 'spec.ingress.0')).toEqual({
      from: [
        {
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'In', values: [FLEET_NAMESPACE, 'team-b'] },
            ],
          },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gatehouse-gateway' } },
        },
      ],
      ports: [{ port: 'management' }],
    });
    expect(at(policy, 'spec.ingress.1.ports')).toEqual([{ port: 'metrics' }]);
  });

  test('gives the management API of named namespaces its rights there', async () => {
    const objects = await render({ watchNamespaces: ['team-a'] });
    expect(
      rulesOf(find(objects, 'ClusterRole//gatehouse-management')).flatMap(({ resources }) => resources),
    ).not.toContain('apikeys');
    const places = boundRoles(objects, 'RoleBinding').filter(({ role }) => role === 'gatehouse-management-watched');
    expect(places.map(({ namespace }) => namespace)).toEqual([FLEET_NAMESPACE, NAMESPACE, 'team-a'].sort());
  });
});
