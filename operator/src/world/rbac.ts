import { GROUP, KINDS } from '@gatehouse/crds/kinds';
import type { PolicyRule } from '../rbac.ts';
import { FETCHABLE_KINDS } from './kind-refs.ts';

/** Rights on what a world is made of besides our own Kinds; Secrets and ServiceAccounts one by one, by the names that resources give. */
export const rbac: readonly PolicyRule[] = [
  { scope: 'cluster', apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  {
    scope: 'watched',
    apiGroups: ['gateway.networking.k8s.io'],
    resources: ['referencegrants'],
    verbs: ['list', 'watch'],
  },
  { scope: 'workspace', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch'] },
  { scope: 'watched', apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { scope: 'watched', apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'watch'] },
  {
    scope: 'watched',
    apiGroups: [GROUP],
    resources: [...FETCHABLE_KINDS].map((kind) => KINDS[kind].plural),
    verbs: ['get'],
  },
];
