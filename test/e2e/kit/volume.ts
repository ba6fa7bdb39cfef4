/** A default storage class, as clusters have one, with the one volume that a default installation asks for. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane, Nodes } from '../../cluster/index.ts';
import { applyObjects } from './kube.ts';

const CLASS = 'local';

/** A folder of the first node, which goes with the cluster. */
export async function offerVolume(controlPlane: ControlPlane, { nodes: [node] }: Nodes): Promise<void> {
  if (node === undefined) throw new Error('There is no node');
  const path = join(controlPlane.folder, 'volume');
  await mkdir(path);
  const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [node.name] };
  await applyObjects(controlPlane, [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'of-the-first-node' },
      spec: {
        capacity: { storage: '8Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: CLASS,
        local: { path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
      },
    },
  ]);
}
