import type { PolicyRule } from '../../rbac.ts';

/** Minted keys: Secrets beside their ApiKeys, by names that the ApiKeys decide. */
export const rbac: readonly PolicyRule[] = [
  { scope: 'workspace', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch', 'delete'] },
];
