/** Paths of REST name the mount of Vault, too: `MOUNT/data/PATH` of its version 2, `MOUNT/PATH` of version 1. */
import { invalid } from '../../http/rest-error.ts';
import type { ManagerType, Spec } from './auth-config.ts';

interface PathOfSpec {
  readonly path?: string;
  /** Members of `spec.vault`. */
  readonly vault?: { readonly mount: string; readonly engine: 'V1' | 'V2' };
}

export function toPath(type: ManagerType, given: string): PathOfSpec {
  if (type !== 'hashicorp_vault') return { path: given };
  const segments = given.replace(/^\/+|\/+$/g, '').split('/');
  const at = segments.indexOf('data', 1);
  const isV2 = at > 0 && at < segments.length - 1;
  const mount = segments.slice(0, isV2 ? at : 1).join('/');
  const path = segments.slice(isV2 ? at + 1 : 1).join('/');
  if (path !== '') return { path, vault: { mount, engine: isV2 ? 'V2' : 'V1' } };
  const message = 'expected the mount and the path of the secret, e.g. secret/data/team-a/openai';
  throw invalid([{ code: 'invalid', path: ['secret_path'], message }], 'body');
}

export const showPath = ({ path, vault }: Spec): string =>
  vault === undefined ? path : [vault.mount, ...(vault.engine === 'V2' ? ['data'] : []), path].join('/');
