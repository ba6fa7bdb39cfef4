/** Every object of a cluster, to find what an installation left behind. */
import { z } from 'zod';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';

/** What the cluster itself makes and removes. */
const PASSING = new Set(['events', 'events.events.k8s.io', 'componentstatuses', 'leases.coordination.k8s.io']);

/** A resource is still listed for some seconds after its definition is gone. */
const REMOVED = /could not find the requested resource|doesn't have a resource type|\(NotFound\)/;

const listed = z.looseObject({
  items: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }) })),
});

/** `resource namespace/name` of every object. */
export async function inventory(controlPlane: ControlPlaneAccess): Promise<readonly string[]> {
  const names = await runKubectl(controlPlane, ['api-resources', '--verbs=list', '-o', 'name']);
  const resources = names.split('\n').filter((name) => name !== '' && !PASSING.has(name));
  const objects: string[] = [];
  for (const resource of resources) objects.push(...(await objectsOf(controlPlane, resource)));
  return objects.sort();
}

async function objectsOf(controlPlane: ControlPlaneAccess, resource: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await controlPlane.kubectl(['get', resource, '-A', '-o', 'json']);
  if (code !== 0 && REMOVED.test(stderr)) return [];
  if (code !== 0) throw new Error(`kubectl get ${resource} ended with ${code}: ${stderr}`);
  const { items } = listed.parse(JSON.parse(stdout));
  return items.map(({ metadata: { name, namespace = '' } }) => `${resource} ${namespace}/${name}`);
}
