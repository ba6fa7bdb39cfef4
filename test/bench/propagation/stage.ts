/** A cluster of its own with what the chart installs, and workspaces to fill. */
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { apply, createTenant, type KubeThing, ours, pathOf, secret } from '../../operator/operator/support.ts';
import { CREDENTIAL, type Places } from './population.ts';

export interface Stage extends Places, AsyncDisposable {
  readonly cluster: ControlPlane;
  /** The namespace of the fleet. */
  readonly fleets: string;
}

export const FLEET = 'main';
const TENANTS = 10;

/** Starts a control plane with our Kinds, and gives every tenant a credential. */
export async function setStage(): Promise<Stage> {
  const cluster = await startControlPlane();
  try {
    await installCustomResources(cluster);
    await apply(cluster, GATEWAY_ROLE);
    const [organisation, fleets] = [await cluster.createNamespace(), await cluster.createNamespace()];
    const tenants: string[] = [];
    while (tenants.length < TENANTS) tenants.push(await createTenant(cluster));
    for (const namespace of [organisation, ...tenants]) {
      await apply(cluster, secret(namespace, CREDENTIAL.name, { [CREDENTIAL.key]: 'a-credential' }));
    }
    return { cluster, organisation, fleets, tenants, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

export const fleetOf = ({ fleets }: Pick<Stage, 'fleets'>, replicas: number): KubeThing =>
  ours('GatewayFleet', { name: FLEET, namespace: fleets }, { replicas });

/** As in the chart. */
const GATEWAY_ROLE: KubeThing & { readonly rules: readonly object[] } = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'gatehouse-gateway' },
  rules: [
    { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
  ],
};

/** As many connections as the client has. */
const CREATES_AT_ONCE = 16;

/** Creates objects that do not exist yet, as fast as the API server takes them. */
export async function createAll(cluster: ControlPlane, objects: Iterator<KubeThing>): Promise<void> {
  const work = async (): Promise<void> => {
    for (let next = objects.next(); !next.done; next = objects.next()) {
      const object = next.value;
      const path = pathOf(object);
      const { status, body } = await cluster.request('POST', path.slice(0, path.lastIndexOf('/')), { body: object });
      if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: CREATES_AT_ONCE }, work));
}
