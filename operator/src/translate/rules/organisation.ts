import type { Organisation } from '@gatehouse/crds/kinds';
import { defineRule, type Finding, type Lookups, missing, verdictKey } from '../types/index.ts';
import { defaultSlugs, guardrailRefs, issuerEntries, issuerFindings, loggingOf, namedIn } from './shared/index.ts';

export const organisation = defineRule({
  kind: 'Organisation',
  translate({ metadata, spec }, { settings }, view) {
    const named = spec.defaultWorkspaceRef?.name;
    const guardrails = guardrailRefs(namedIn(spec, ['spec']), [settings.organisationNamespace], view);
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
            ...loggingOf(spec),
            ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
            ...defaultSlugs(spec),
          },
        },
        ...issuerEntries(spec.jwtIssuers, settings.clusterIssuer),
      ],
      findings: [
        ...workspaceFindings(named, view),
        ...exemptionFindings(spec, view),
        ...issuerFindings(spec.jwtIssuers, settings.clusterIssuer, view),
        ...guardrails.findings,
      ],
      uses: guardrails.uses,
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

const EXEMPTIONS = ['inputGuardrailExemptWorkspaces', 'outputGuardrailExemptWorkspaces'] as const;

/** An exemption of a workspace that does not exist is mostly a misspelled name. */
const exemptionFindings = (spec: Organisation['spec'], view: Pick<Lookups, 'exists'>): readonly Finding[] =>
  EXEMPTIONS.flatMap((member) =>
    (spec[member] ?? []).flatMap((name, i) =>
      view.exists('Workspace', '', name)
        ? []
        : [
            missing(['spec', member, i], `the Workspace ${name} does not exist`, 'serve', [
              verdictKey('Workspace', name),
            ]),
          ],
    ),
  );
