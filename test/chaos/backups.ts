import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';
import { manifestName } from '@gatehouse/crds/snapshot';
import type { KubeThing } from '../operator/operator/support.ts';
import type { ChaosWorld } from './world.ts';

/** Everything that is published for the fleet at some moment: manifest, journal and shards. */
export type Backup = readonly KubeThing[];

const KINDS = { ConfigMap: 'configmaps', Secret: 'secrets' } as const;

export async function takeBackup({ cluster, stage: { fleets } }: ChaosWorld): Promise<Backup> {
  const found: KubeThing[] = [];
  for (const [kind, plural] of Object.entries(KINDS)) {
    const { body } = await cluster.request(
      'GET',
      `/api/v1/namespaces/${fleets}/${plural}?labelSelector=gatehouse.dev%2Ffleet`,
    );
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    found.push(...items.map((item) => ({ ...item, apiVersion: 'v1', kind })));
  }
  // The token of the fleet's admin port is no publication.
  return found.filter(({ metadata: { name } }) => !name.endsWith('-admin'));
}

const pathOf = ({ kind, metadata }: KubeThing, name = `/${metadata.name}`): string =>
  `/api/v1/namespaces/${metadata.namespace}/${KINDS[kind as keyof typeof KINDS]}${name}`;

/** Puts an object back as it was, whatever is there now: what a restore of a backup does. */
export async function putBack(world: ChaosWorld, object: KubeThing): Promise<void> {
  const { cluster } = world;
  const { name, namespace, labels, annotations, ownerReferences } = object.metadata;
  const body = { ...object, metadata: { name, namespace, labels, annotations, ownerReferences } };
  const { body: current } = await cluster.request('GET', pathOf(object));
  await cluster.request('DELETE', pathOf(object));
  const made = await cluster.request('POST', pathOf(object, ''), { body });
  if (!isManifest(object, world)) return;
  // The operator leaves alone what is as it has written it.
  const isOwn = resourceVersionOf(current) !== world.putBack && isDeepStrictEqual(dataOf(current), object.data);
  world.putBack = isOwn ? undefined : resourceVersionOf(made.body);
}

const dataOf = (object: unknown): unknown => (isObject(object) ? object['data'] : undefined);

/** Whether the manifest that was put back last has been overwritten: until then a gateway that starts cannot know that it is an old one. */
export async function isHealed({ cluster, stage: { fleets, fleet }, putBack: version }: ChaosWorld): Promise<boolean> {
  if (version === undefined) return true;
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${fleets}/configmaps/${manifestName(fleet)}`);
  return ![undefined, version].includes(resourceVersionOf(body));
}

const isManifest = ({ kind, metadata }: KubeThing, { stage: { fleet } }: ChaosWorld): boolean =>
  kind === 'ConfigMap' && metadata.name === manifestName(fleet);

function resourceVersionOf(body: unknown): string | undefined {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

export async function removeObject({ cluster }: ChaosWorld, object: KubeThing): Promise<void> {
  await cluster.request('DELETE', pathOf(object));
}
