import { defineRule } from '../types/index.ts';
import {
  accountBody,
  accountCredential,
  identityGrantOf,
  reachOf,
  slugConflict,
  virtualKeyGrants,
} from './shared/index.ts';

export const virtualKey = defineRule({
  kind: 'VirtualKey',
  translate(resource, scope, view) {
    const { metadata, spec } = resource;
    const { workspace } = scope;
    const { credential, entries, findings } = accountCredential(resource, scope, view);
    const lending = identityGrantOf(spec, workspace, view);
    const reached = reachOf(resource, scope, view);
    return {
      entries: [
        ...entries,
        {
          kind: 'provider',
          workspace,
          name: metadata.name,
          body: {
            slug: metadata.name,
            ...accountBody(spec, credential, lending, reached.reach),
            ...(spec.models === undefined ? {} : { models: spec.models }),
            ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
            ...(workspace === null ? { grants: [...virtualKeyGrants(metadata.name, scope, view)] } : {}),
          },
        },
      ],
      findings: [
        ...slugConflict(resource, scope.namespace, view),
        ...findings,
        ...lending.findings,
        ...reached.findings,
      ],
    };
  },
});
