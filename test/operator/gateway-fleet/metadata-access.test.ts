/** A fleet of a workspace reaches metadata addresses of clouds while the organisation grants them, and no longer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { NETWORK_POLICIES } from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import { aWorld } from '../../../operator/src/kinds/gateway-fleet/testing.ts';
import { conditionOf, hasReason, type KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient } from '../runtime/support.ts';
import { fleet, startFleetOperator } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
const signal = AbortSignal.timeout(300_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Of the role of a node. */
const ADDRESS = '169.254.169.254/32';
const GRANT = [{ workspace: 'a', clouds: ['aws', 'azure', 'gcp'] }];

/** Undefined: there is no policy. */
async function policyOf(namespace: string): Promise<string | undefined> {
  try {
    return JSON.stringify(await client.get(NETWORK_POLICIES, { namespace, name: 'f-gateway' }, { signal }));
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function reasonOf(namespace: string): Promise<string | undefined> {
  return conditionOf(await client.get(FLEETS, { namespace, name: 'f' }, { signal }), 'ResolvedRefs')?.reason;
}

/** A namespace of the Workspace `a`, with a fleet. */
async function setScene(network: object, grants: readonly object[]) {
  const namespace = await cluster.createNamespace();
  let world = aWorld(grants, namespace);
  const operator = await startFleetOperator({
    ...{ client, namespace, world: () => world },
    settings: { fleetNamespaces: new Set() },
  });
  await client.create(FLEETS, fleet(namespace, 'f', { network }), { signal });
  return {
    namespace,
    known: () => operator.known('f'),
    revoke(): void {
      world = aWorld([], namespace);
      operator.enqueue('f');
    },
    [Symbol.asyncDispose]: () => operator[Symbol.asyncDispose](),
  };
}

test('without a grant the fleet says what it lacks, and has no pods', async () => {
  await using scene = await setScene({ metadataAccess: ['aws'] }, []);
  await waitFor(async () => (await reasonOf(scene.namespace)) === 'IdentityNotGranted', { what: 'the reason' });
  expect(await policyOf(scene.namespace)).toBeUndefined();
});

describe('a grant that is taken back closes the addresses', () => {
  test.for([
    { rule: 'that the fleet names', network: { metadataAccess: ['aws'] }, edit: undefined },
    { rule: 'of open egress', network: { egress: 'Open' }, edit: undefined },
    {
      rule: 'of a fleet that is not served for another reason',
      network: { metadataAccess: ['aws'] },
      edit: { env: [{ name: 'GATEHOUSE_SNAPSHOT_DIR', value: '/tmp' }] },
    },
    { rule: 'of a suspended fleet', network: { metadataAccess: ['aws'] }, edit: { suspend: true } },
    {
      rule: 'of a suspended fleet that no longer names them',
      network: { metadataAccess: ['aws'] },
      edit: { suspend: true, network: null },
    },
    {
      rule: 'of a fleet that no longer names them, and is not served for another reason',
      network: { metadataAccess: ['aws'] },
      edit: { network: null, env: [{ name: 'GATEHOUSE_SNAPSHOT_DIR', value: '/tmp' }] },
    },
  ])('$rule', async ({ network, edit }) => {
    await using scene = await setScene(network, GRANT);
    const { namespace } = scene;
    const isOpen = async (): Promise<boolean | undefined> => {
      const policy = await policyOf(namespace);
      return policy === undefined ? undefined : !policy.includes(ADDRESS);
    };
    await waitFor(isOpen, { what: 'a policy that leaves the addresses open' });
    if (edit !== undefined) {
      const { metadata } = await client.mergePatch(FLEETS, { namespace, name: 'f' }, { spec: edit }, { signal });
      await waitFor(() => scene.known()?.metadata.generation === metadata.generation, { what: 'the new spec' });
    }
    scene.revoke();
    await waitFor(async () => (await isOpen()) === false, { what: 'a policy that closes the addresses' });
    if (edit === undefined) {
      await waitFor(async () => (await reasonOf(namespace)) === 'IdentityNotGranted', { what: 'the reason' });
    }
  });
});
