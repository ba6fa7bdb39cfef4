/** Variables by which SDKs in the app containers find the sidecar. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import type { Container, EnvVar } from './pod.ts';

/** SDKs refuse to start without a key; the sidecar reads none. */
export const PLACEHOLDER_KEY = 'provided-by-gatehouse';

const BASE_URL = /_BASE_URL$/;

/**
 * The container with the variables it does not have. An address of its own is left alone, and so is the key that belongs to it:
 * `OPENAI_API_KEY` goes with `OPENAI_BASE_URL`. What `envFrom` brings cannot be seen here and comes second, as always.
 */
export function withAppEnv(container: Container, { appEnv, port }: SidecarProfile['spec']): Container {
  const { env = [] } = container;
  const own = new Set(env.map(({ name }) => name));
  const added = appEnv.flatMap(({ name, url }): EnvVar[] => {
    if (own.has(name)) return [];
    const address = `http://127.0.0.1:${port}${url === 'v1' ? '/v1' : ''}`;
    const key = BASE_URL.test(name) ? name.replace(BASE_URL, '_API_KEY') : undefined;
    const placeholder = key === undefined || own.has(key) ? [] : [{ name: key, value: PLACEHOLDER_KEY }];
    return [{ name, value: address }, ...placeholder];
  });
  return added.length === 0 ? container : { ...container, env: [...env, ...added] };
}
