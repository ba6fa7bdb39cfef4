/** Clouds whose metadata addresses a fleet may reach because its spec asks for them. See docs/guide/tenancy.md. */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { CLOUDS, type Cloud } from '@gatehouse/crds/providers';
import type { World } from '../../translate/index.ts';

type Spec = Pick<GatewayFleet, 'spec'>;

/** Open egress reaches those of all clouds. */
export const askedClouds = ({ spec: { network } }: Spec): readonly Cloud[] =>
  network?.egress === 'Open' ? CLOUDS : (network?.metadataAccess ?? []);

/** What the Organisation grants to a Workspace; nothing without an owner. */
export function grantedClouds(workspace: string | undefined, { resources }: Pick<World, 'resources'>): Set<unknown> {
  const spec = resources.get('Organisation')?.get('default')?.['spec'];
  const grants: unknown = isObject(spec) ? spec['cloudIdentityGrants'] : undefined;
  if (workspace === undefined || !Array.isArray(grants)) return new Set();
  const own = grants.filter((grant) => isObject(grant) && grant['workspace'] === workspace);
  return new Set(own.flatMap(({ clouds }) => (Array.isArray(clouds) ? clouds : [])));
}

/** Undefined: everything is granted. */
export function ungrantedProblem(
  fleet: Spec,
  workspace: string,
  world: Pick<World, 'resources'>,
): { readonly path: string; readonly message: string } | undefined {
  const granted = grantedClouds(workspace, world);
  const clouds = askedClouds(fleet).filter((cloud) => !granted.has(cloud));
  if (clouds.length === 0) return undefined;
  return {
    path: fleet.spec.network?.egress === 'Open' ? 'spec.network.egress' : 'spec.network.metadataAccess',
    message:
      `the Organisation does not grant the Workspace ${workspace} the metadata addresses of ${clouds.join(', ')}: ` +
      'its cloudIdentityGrants name who may reach them',
  };
}
