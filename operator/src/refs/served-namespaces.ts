import { isObject } from '@gatehouse/crds';
import type { KubeObject, Store } from '../runtime/index.ts';
import { CONSENT_LABEL } from '../translate/index.ts';

interface Claiming extends KubeObject {
  readonly spec?: unknown;
}

export interface ServedNamespacesOptions {
  readonly organisationNamespace: string;
  readonly workspaces: Pick<Store<Claiming>, 'get' | 'subscribe'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get' | 'subscribe'>;
}

/** The namespaces whose resources may be served; read without validation, since a broken object is still served. */
export interface ServedNamespaces {
  has(namespace: string): boolean;
  /** Called when that may have changed for a namespace. */
  subscribe(listener: (namespace: string) => void): void;
}

/** The organisation's own namespaces, and those that a Workspace names and that are labelled for it. */
export function servedNamespaces(options: ServedNamespacesOptions): ServedNamespaces {
  const { organisationNamespace, workspaces, namespaces } = options;
  return {
    has: (namespace) => {
      if (namespace === organisationNamespace) return true;
      const name = namespaces.get(namespace)?.metadata.labels?.[CONSENT_LABEL];
      return name !== undefined && claimOf(workspaces.get(name)) === namespace;
    },
    subscribe: (listener) => {
      namespaces.subscribe(({ key }) => listener(key));
      workspaces.subscribe(({ object, previous }) => {
        for (const namespace of new Set([claimOf(object), claimOf(previous)])) {
          if (namespace !== undefined) listener(namespace);
        }
      });
    },
  };
}

function claimOf(workspace: Claiming | undefined): string | undefined {
  const namespace = isObject(workspace?.spec) ? workspace.spec['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : undefined;
}
