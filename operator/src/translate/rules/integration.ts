import type { Issue } from '@gatehouse/crds';
import { defineRule } from '../types/index.ts';
import { accountCredential, identityGrantOf, reachOf } from './shared/index.ts';

/** The only entry of an Integration is its credential; the rest is in the entries of its Providers. */
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
