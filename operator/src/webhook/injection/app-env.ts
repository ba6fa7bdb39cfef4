/** Variables with which SDKs in the app containers find the sidecar. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { SIDECAR_PLACEHOLDER_KEY } from '@gatehouse/crds/snapshot';
import type { Container, EnvVar } from './pod.ts';

type Spec = SidecarProfile['spec'];

const BASE_URL = /_BASE_URL$/;

/** The container with the variables that it lacks. */
export function withAppEnv(container: Container, spec: Spec): Container {
  const added = missingEnv(container, spec);
  return added.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...added] };
}

/**
 * Warns of what may conflict with the app's settings: variables from `envFrom` are not visible here, and those of `env`
 * override them.
 */
export function envFromWarnings(container: Container, spec: Spec): readonly string[] {
  const added = missingEnv(container, spec);
  if ((container.envFrom ?? []).length === 0 || added.length === 0) return [];
  const names = added.map(({ name }) => name).join(', ');
  return [`container ${container.name} has envFrom; ${names} of the sidecar go before it; set in env what is to stay`];
}

/**
 * A base URL that the container sets is left alone, and so is the key that belongs to it: `OPENAI_API_KEY` goes with
 * `OPENAI_BASE_URL`. SDKs refuse to start without a key, and the sidecar ignores it.
 */
function missingEnv({ env = [] }: Container, { appEnv, port }: Spec): readonly EnvVar[] {
  const own = new Set(env.map(({ name }) => name));
  return appEnv.flatMap(({ name, url }): EnvVar[] => {
    if (own.has(name)) return [];
    const address = `http://127.0.0.1:${port}${url === 'v1' ? '/v1' : ''}`;
    const key = BASE_URL.test(name) ? name.replace(BASE_URL, '_API_KEY') : undefined;
    const placeholder = key === undefined || own.has(key) ? [] : [{ name: key, value: SIDECAR_PLACEHOLDER_KEY }];
    return [{ name, value: address }, ...placeholder];
  });
}
