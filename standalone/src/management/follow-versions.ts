/** Keeps the versions of configs that are edited in the folder. */
import type { ResourceStore, Revisions } from '@gatehouse/operator/management';

/** The result looks at all configs, and keeps what has changed since it looked last, unless nothing is kept now. */
export function followVersions(
  store: Pick<ResourceStore, 'list'>,
  revisions: Revisions,
  isEnabled: () => boolean,
): () => Promise<void> {
  let known = new Map<string, string>();
  return async () => {
    if (!isEnabled()) return;
    const configs = await store.list('GatewayConfig');
    const now = new Map(configs.map(({ meta }) => [meta.uid, meta.resourceVersion]));
    for (const config of configs) {
      if (known.get(config.meta.uid) !== config.meta.resourceVersion) revisions.note(config);
    }
    for (const uid of known.keys()) if (!now.has(uid)) revisions.forget(uid);
    known = now;
  };
}
