import type { PolicyRule } from '../../rbac.ts';

/** Minted keys: Secrets in the namespaces of ApiKeys, with names derived from theirs. */
export const rbac: readonly PolicyRule[] = [
  { scope: 'workspace', apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch', 'delete'] },
];
