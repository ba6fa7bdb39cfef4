import type { Issue } from '@gatehouse/crds';
import { defineTranslator } from '../types/index.ts';
import { connect, lendingOf, reachOf } from './shared/index.ts';

/** An Integration has no entry but its credential; the Providers that stand on it have the rest. */
export const integration = defineTranslator({
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
  make(resource, place, view) {
    const { drafts, findings } = connect(resource, place, view);
    const lending = lendingOf(resource.spec, place.workspace, view);
    return { drafts, findings: [...findings, ...lending.findings, ...reachOf(resource, place, view).findings] };
  },
});
