import { defineRule, type Finding, type Lookups, missing, verdictKey } from '../types/index.ts';
import { issuerEntries, issuerFindings } from './shared/index.ts';

export const organisation = defineRule({
  kind: 'Organisation',
  translate({ metadata, spec }, { settings }, view) {
    const named = spec.defaultWorkspaceRef?.name;
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
        ...issuerEntries(spec.jwtIssuers, settings.clusterIssuer),
      ],
      findings: [...workspaceFindings(named, view), ...issuerFindings(spec.jwtIssuers, settings.clusterIssuer, view)],
    };
  },
});

function workspaceFindings(named: string | undefined, view: Pick<Lookups, 'exists'>): readonly Finding[] {
  if (named === undefined || view.exists('Workspace', '', named)) return [];
  return [
    missing(['spec', 'defaultWorkspaceRef', 'name'], `the Workspace ${named} does not exist`, 'serve', [
      verdictKey('Workspace', named),
    ]),
  ];
}
