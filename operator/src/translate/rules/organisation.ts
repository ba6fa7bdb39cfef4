import { defineRule, missing, verdictKey } from '../types/index.ts';

export const organisation = defineRule({
  kind: 'Organisation',
  translate({ metadata, spec }, _place, view) {
    const named = spec.defaultWorkspaceRef?.name;
    const exists = named === undefined || view.exists('Workspace', '', named);
    const defaultWorkspace = named ?? view.firstWorkspace();
    return {
      entries: [
        {
          kind: 'organisation',
          workspace: null,
          name: metadata.name,
          body: {
            savedConfigsOnly: spec.savedConfigsOnly,
            headersToMask: spec.headersToMask ?? [],
            ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
          },
        },
      ],
      findings: exists
        ? []
        : [
            missing(['spec', 'defaultWorkspaceRef', 'name'], `the Workspace ${named} does not exist`, 'serve', [
              verdictKey('Workspace', named),
            ]),
          ],
    };
  },
});
