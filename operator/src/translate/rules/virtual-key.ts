import { defineTranslator } from '../types/index.ts';
import { accountBody, connect, lendingOf, reachOf, slugConflict, virtualKeyGrants } from './shared/index.ts';

export const virtualKey = defineTranslator({
  kind: 'VirtualKey',
  make(resource, place, view) {
    const { metadata, spec } = resource;
    const { workspace } = place;
    const { credential, drafts, findings } = connect(resource, place, view);
    const lending = lendingOf(spec, workspace, view);
    const reached = reachOf(resource, place, view);
    return {
      drafts: [
        ...drafts,
        {
          kind: 'provider',
          workspace,
          name: metadata.name,
          body: {
            slug: metadata.name,
            ...accountBody(spec, credential, lending, reached.reach),
            ...(spec.models === undefined ? {} : { models: spec.models }),
            ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
            ...(workspace === null ? { grants: [...virtualKeyGrants(metadata.name, place, view)] } : {}),
          },
        },
      ],
      findings: [
        ...slugConflict(resource, place.namespace, view),
        ...findings,
        ...lending.findings,
        ...reached.findings,
      ],
    };
  },
});
