/** Everything that is in a cluster, to see what somebody has left in it. */
import { z } from 'zod';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';

/** What the cluster itself makes and forgets. */
const PASSING = new Set(['events', 'events.events.k8s.io', 'componentstatuses', 'leases.coordination.k8s.io']);

const listed = z.looseObject({
  items: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }) })),
});

/** `resource namespace/name` of every object. */
export async function inventory(controlPlane: ControlPlaneAccess): Promise<readonly string[]> {
  const names = await runKubectl(controlPlane, ['api-resources', '--verbs=list', '-o', 'name']);
  const resources = names.split('\n').filter((name) => name !== '' && !PASSING.has(name));
  const objects = await Promise.all(
    resources.map(async (resource) => {
      const answer = await runKubectl(controlPlane, ['get', resource, '-A', '-o', 'json']);
      return listed
        .parse(JSON.parse(answer))
        .items.map(({ metadata: { name, namespace = '' } }) => `${resource} ${namespace}/${name}`);
    }),
  );
  return objects.flat().sort();
}
