/** How many bytes of unread content are kept per namespace. */
import { isObject } from '@gatehouse/crds';
import { DEFAULT_QUOTA } from '@gatehouse/crds/kinds';
import type { KubeObject, Store } from '../runtime/index.ts';
import { CONSENT_LABEL } from '../translate/index.ts';
import type { CustomObject } from './kind-refs.ts';

/** For a namespace without an owner. */
const UNOWNED_BYTES = 1024 * 1024;

interface ContentLimitStores {
  readonly organisations: Pick<Store<CustomObject>, 'get'>;
  readonly workspaces: Pick<Store<CustomObject>, 'get'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get'>;
}

/**
 * As many bytes as the quota of the workspace lets a translation read; unlimited in the namespaces of the organisation.
 */
export function contentLimits(
  { organisations, workspaces, namespaces }: ContentLimitStores,
  isOfOrganisation: (namespace: string) => boolean,
): (namespace: string) => number {
  return (namespace) => {
    if (isOfOrganisation(namespace)) return Number.POSITIVE_INFINITY;
    const name = namespaces.get(namespace)?.metadata.labels?.[CONSENT_LABEL];
    const spec = name === undefined ? undefined : workspaces.get(name)?.spec;
    if (!isObject(spec) || spec['namespace'] !== namespace) return UNOWNED_BYTES;
    const forAll = organisations.get('default')?.spec;
    return bytesIn(spec['quota']) ?? bytesIn(isObject(forAll) && forAll['workspaceQuota']) ?? DEFAULT_QUOTA.bytes;
  };
}

function bytesIn(quota: unknown): number | undefined {
  const bytes = isObject(quota) ? quota['bytes'] : undefined;
  return typeof bytes === 'number' ? bytes : undefined;
}

/** Counts the kept bytes of each namespace, object by object. */
export function createByteCounts() {
  const accounts = new Map<string, { sum: number; readonly bytes: Map<string, number> }>();
  return {
    sum: (namespace: string): number => accounts.get(namespace)?.sum ?? 0,
    of: (namespace: string, id: string): number => accounts.get(namespace)?.bytes.get(id) ?? 0,
    set: (namespace: string, id: string, bytes: number): void => {
      const account = accounts.get(namespace) ?? { sum: 0, bytes: new Map<string, number>() };
      account.sum += bytes - (account.bytes.get(id) ?? 0);
      if (bytes === 0) account.bytes.delete(id);
      else account.bytes.set(id, bytes);
      if (account.bytes.size === 0) accounts.delete(namespace);
      else accounts.set(namespace, account);
    },
  };
}
