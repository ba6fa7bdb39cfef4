/** The operator's pods. */
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { corePath, listObjects, mergePatch, pathOf, readObject, textAt } from './kube.ts';
import { eventually } from './wait.ts';

export const OPERATOR_NAMESPACE = 'gatehouse-system';
const DEPLOYMENT = pathOf('/apis/apps/v1', OPERATOR_NAMESPACE, 'deployments/gatehouse-operator');
const LEASE = pathOf('/apis/coordination.k8s.io/v1', OPERATOR_NAMESPACE, 'leases/gatehouse-operator');
const PODS = `${corePath(OPERATOR_NAMESPACE, 'pods')}?labelSelector=app.kubernetes.io/name%3Dgatehouse-operator`;

/** Waits until so many pods of it, and no others, are there and ready. */
export async function scaleOperator(controlPlane: ControlPlaneAccess, replicas: number): Promise<void> {
  await mergePatch(controlPlane, DEPLOYMENT, { spec: { replicas } });
  await operatorIsReady(controlPlane, replicas);
}

export const operatorIsReady = (controlPlane: ControlPlaneAccess, replicas: number): Promise<true> =>
  eventually(`${replicas} operators`, async () => {
    const { status } = await readObject(controlPlane, DEPLOYMENT);
    const { readyReplicas: ready = 0, unavailableReplicas: missing = 0 } = status;
    if (ready !== replicas || missing !== 0) return false;
    return (await listObjects(controlPlane, PODS)).length === replicas;
  });

/** Name of the pod that leads, once one does. Its identity is the name and the uid. */
export const leaderOf = (controlPlane: ControlPlaneAccess): Promise<string> =>
  eventually(
    'a leader',
    async () => textAt((await readObject(controlPlane, LEASE)).spec, 'holderIdentity').split('_')[0],
  );
