import type { Issue } from '@gatehouse/crds';
import { defineRule } from '../types/index.ts';
import { accountCredential, identityGrantOf, reachOf } from './shared/index.ts';

/** An Integration has no entry but its credential; the Providers that stand on it have the rest. */
export const integration = defineRule({
  kind: 'Integration',
  check: ({ spec }) =>
    (spec.allowAllModels ? (spec.models ?? []) : []).flatMap(({ enabled }, i): Issue[] =>
      enabled
        ? []
        : [
            {
              code: 'unsupported',
              path: ['spec', 'models', i, 'enabled'],
              message: 'single models can be withdrawn only where allowAllModels is false and the others are listed',
            },
          ],
    ),
  translate(resource, scope, view) {
    const { entries, findings } = accountCredential(resource, scope, view);
    const lending = identityGrantOf(resource.spec, scope.workspace, view);
    return { entries, findings: [...findings, ...lending.findings, ...reachOf(resource, scope, view).findings] };
  },
});
