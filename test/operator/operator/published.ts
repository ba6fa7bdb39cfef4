import { isObject } from '@gatehouse/crds';
import { type AnyEntry, manifestName } from '@gatehouse/crds/snapshot';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import type { KubeThing } from './objects.ts';

/** The entries of every shard in a namespace, whether or not a manifest names it. */
export const entriesIn = (cluster: ControlPlaneAccess, namespace: string): Promise<readonly AnyEntry[]> =>
  entriesOf(cluster, namespace, () => true);

/** The entries that a gateway of the fleet `main` loads now: shards of before stay for ten minutes. */
export async function entriesServed(cluster: ControlPlaneAccess, namespace: string): Promise<readonly AnyEntry[]> {
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/configmaps/${manifestName('main')}`);
  const { data } = body as Pick<KubeThing, 'data'>; // a ConfigMap, or a status without data
  const manifest = data?.['manifest.json'] ?? '';
  return entriesOf(cluster, namespace, (name) => manifest.includes(name));
}

async function entriesOf(
  cluster: ControlPlaneAccess,
  namespace: string,
  isWanted: (name: string) => boolean,
): Promise<readonly AnyEntry[]> {
  const entries: AnyEntry[] = [];
  for (const kind of ['configmaps', 'secrets']) {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/${kind}`);
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    for (const { metadata, data = {} } of items) {
      const value = data['shard.json'];
      if (value === undefined || !isWanted(metadata.name)) continue;
      entries.push(...JSON.parse(kind === 'secrets' ? Buffer.from(value, 'base64').toString('utf8') : value));
    }
  }
  return entries;
}

/** Everything that is published to a fleet, as text: ConfigMaps, and Secrets decoded. */
export async function publishedTo(cluster: ControlPlaneAccess, namespace: string): Promise<string> {
  const texts: string[] = [];
  for (const kind of ['configmaps', 'secrets']) {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/${kind}`);
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    for (const { data = {} } of items) {
      for (const value of Object.values(data)) {
        texts.push(kind === 'secrets' ? Buffer.from(value, 'base64').toString('utf8') : value);
      }
    }
  }
  return texts.join('\n');
}
