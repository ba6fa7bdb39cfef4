import { describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { createClient, fleetServes, gatewayPods, setDrain } from '../kit/gateways.ts';
import { inventory } from '../kit/inventory.ts';
import { conditionOf, deleteObject, findObject, GATEHOUSE, readObject } from '../kit/kube.ts';
import { OPERATOR_NAMESPACE } from '../kit/operator.ts';
import { openCheckout } from '../kit/readme.ts';
import { createTeam } from '../kit/team.ts';
import { eventually } from '../kit/wait.ts';
import { createSidecarTeam, startApp } from './sidecar.ts';

/** Kubernetes looks at a namespace with ending pods again after half the time they may take: 5 min by default. */
const SHORT_DRAIN_SECONDS = 30;
/**
 * Resources, their definitions and the release that brought those, the namespaces, and what every namespace has.
 */
const STAYS = [
  /\.gatehouse\.dev( |$)/,
  /gatehouse-crds/,
  /^namespaces \/gatehouse-(system|gateways)$/,
  /\/(default|kube-root-ca\.crt)$/,
  /^persistentvolumeclaims gatehouse-system\/data-gatehouse-postgres-0$/,
  /^secrets gatehouse-system\/gatehouse-postgres-password$/, // the volume has it
  /^rolebindings\S* team-[^/]+\/gatehouse-workspace-secrets$/, // the platform made it
];
/** What the README and the tests made beside the charts. */
const MADE_BY_HAND = /^namespaces \/(gatehouse-system|gatehouse-gateways|mock-provider|team-.*)$/;

export function removal(controlPlane: () => ControlPlaneAccess, before: () => readonly string[]): void {
  describe('the removal of', () => {
    test('a namespace takes all its resources and keys with it', async () => {
      const cluster = controlPlane();
      const [team, other] = [await createTeam(cluster), await createTeam(cluster)];
      await using client = createClient();
      const [pod] = await gatewayPods(cluster);
      const statusOf = async (key: string): Promise<number> => (await client.chat(pod?.url ?? '', { key })).status;
      expect(await statusOf(team.key)).toBe(200);

      const path = `/api/v1/namespaces/${team.name}`;
      await deleteObject(cluster, path);
      // A controller of Kubernetes deletes the content, which may take its time after an outage.
      await eventually('the key refused', async () => (await statusOf(team.key)) === 401);
      await eventually('the namespace gone', async () => (await findObject(cluster, path)) === undefined);
      expect(await statusOf(other.key)).toBe(200);
      await eventually('the workspace without its namespace', async () => {
        const workspace = await readObject(cluster, `${GATEHOUSE}/workspaces/${team.name}`);
        return conditionOf(workspace, 'Ready')?.status === 'False';
      });
      await deleteObject(cluster, `${GATEHOUSE}/workspaces/${team.name}`);
      await fleetServes(cluster, 3);
    });

    test('the charts takes with it everything that they and the operator made', async () => {
      const cluster = controlPlane();
      await using reader = await openCheckout(cluster);
      await setDrain(cluster, { drainTimeoutSeconds: SHORT_DRAIN_SECONDS });
      await fleetServes(cluster, 3);
      const team = await createSidecarTeam(cluster);
      const app = await startApp(cluster, team.name);
      expect(await app.ask('/ask')).toMatchObject({ status: 200 });
      // The removal ends the sidecars that are connected; others go on with what they have.
      await eventually('a connected sidecar', () => isConnected(cluster, team.name, app.pod));
      await reader.run(`helm uninstall gatehouse --namespace ${OPERATOR_NAMESPACE} --wait --timeout 120s`);
      await eventually('the end of the sidecar', async () => (await app.ask('/ask')).status !== 200);
      expect((await inventory(cluster)).filter((object) => object.includes('sidecar-snapshot'))).toEqual([]);
      await eventually('everything of the fleet gone', async () => !(await inventory(cluster)).some(isLeftover));
      expect((await inventory(cluster)).filter(isLeftover)).toEqual([]);

      await reader.run(`helm uninstall gatehouse-crds --namespace ${OPERATOR_NAMESPACE}`);
      await runKubectl(cluster, ['delete', 'crd', '-l', 'app.kubernetes.io/part-of=gatehouse', '--timeout=300s']);
      const namespaces = (await inventory(cluster)).filter((object) => MADE_BY_HAND.test(object));
      await runKubectl(cluster, [
        'delete',
        ...namespaces.map((object) => object.replace('namespaces /', 'namespace/')),
      ]);
      const isAsBefore = async (): Promise<boolean> => String(await inventory(cluster)) === String(before());
      await eventually('the cluster as it was', isAsBefore).catch(() => undefined); // the difference says more
      expect(await inventory(cluster)).toEqual(before());
    });
  });
}

/** Whether the last thing that a sidecar logged about the snapshot service is that it is connected. */
async function isConnected(cluster: ControlPlaneAccess, namespace: string, pod: string): Promise<boolean> {
  const log = await runKubectl(cluster, ['-n', namespace, 'logs', pod, '-c', 'gatehouse']);
  const last = log.split('\n').findLast((line) => line.includes('"peer":"the snapshot service"'));
  return last?.includes('"msg":"Connected"') === true;
}

/** Of the installation; resources and their definitions stay until they are removed by hand. */
const isLeftover = (object: string): boolean =>
  object.includes('gatehouse') && !STAYS.some((kind) => kind.test(object));
