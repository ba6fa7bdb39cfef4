import type { EntryBody } from '@gatehouse/crds/snapshot';
import { defineRule, type Lookups, type ObjectScope } from '../types/index.ts';
import {
  accessesOf,
  accountBody,
  accountCredential,
  identityGrantOf,
  limitsOf,
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
            ...limitsOf(spec),
            ...(workspace === null ? grantsOf(metadata.name, scope, view) : {}),
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

/** A VirtualKey of the organisation is granted by its name unless that is the name of an Integration. */
function grantsOf(name: string, scope: ObjectScope, view: Lookups): Partial<EntryBody<'provider'>> {
  const grants = [...virtualKeyGrants(name, scope, view)];
  return { grants, ...(grants.length === 0 ? {} : accessesOf(name, scope, view)) };
}
