import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { Lookups } from '../types/index.ts';
import {
  CONSENT_LABEL,
  conflicted,
  defineRule,
  type Finding,
  isReservedNamespace,
  notPermitted,
  type ObjectScope,
  wrongNamespace,
} from '../types/index.ts';
import {
  configRefFindings,
  defaultSlugs,
  guardrailRefs,
  homesOf,
  limitsOf,
  loggingOf,
  namedIn,
  policyFindings,
  SIDECAR_SCOPES,
  workloadsOf,
} from './shared/index.ts';

const NAMESPACE = ['spec', 'namespace'];

export const workspace = defineRule({
  kind: 'Workspace',
  translate(resource, { settings }, view) {
    const {
      metadata: { name },
      spec,
    } = resource;
    const { namespace } = spec;
    const refused = refusal(name, { namespace, settings }, view);
    if (refused !== undefined) return { entries: [], findings: [refused] };
    const { metadata, configRef } = spec.defaults ?? {};
    const workloads = workloadsOf(name, spec.workloadIdentities, settings, view);
    const guardrails = guardrailRefs(
      namedIn(spec.defaults ?? {}, ['spec', 'defaults']),
      homesOf({ namespace, settings }),
      view,
    );
    return {
      entries: [
        {
          kind: 'workspace',
          workspace: name,
          name,
          body: {
            ...(spec.displayName === undefined ? {} : { displayName: spec.displayName }),
            savedConfigsOnly: spec.savedConfigsOnly,
            ...(spec.headersToMask === undefined ? {} : { headersToMask: [...spec.headersToMask] }),
            ...loggingOf(spec),
            defaults: {
              ...(metadata === undefined ? {} : { metadata }),
              ...(configRef === undefined ? {} : { config: configRef.name }),
              ...defaultSlugs(spec.defaults ?? {}),
            },
            ...limitsOf(spec),
            ...(workloads.identities.length === 0 ? {} : { workloadIdentities: [...workloads.identities] }),
            ...(view.passesToFleet(namespace) ? { sidecarIdentity: { namespace, scopes: [...SIDECAR_SCOPES] } } : {}),
            ...exemptionsOf(name, view),
          },
        },
      ],
      findings: [
        ...configRefFindings(view, configRef?.name, { namespace, settings, workspace: null }),
        ...policyFindings(resource, { settings, workspace: null }, view),
        ...workloads.findings,
        ...guardrails.findings,
      ],
      uses: guardrails.uses,
    };
  },
});

const exemptionsOf = (name: string, view: Lookups): Partial<EntryBody<'workspace'>> => ({
  ...(view.isExemptFromGuardrails(name, 'input') ? { exemptInputGuardrails: true } : {}),
  ...(view.isExemptFromGuardrails(name, 'output') ? { exemptOutputGuardrails: true } : {}),
});

/** Why the Workspace may not own the namespace that it names. */
function refusal(
  name: string,
  { namespace, settings }: Pick<ObjectScope, 'namespace' | 'settings'>,
  view: Lookups,
): Finding | undefined {
  if (isReservedNamespace(namespace, settings)) {
    return wrongNamespace(NAMESPACE, `the namespace ${namespace} belongs to the organisation`);
  }
  if (!view.consents(namespace, name)) {
    const message = `the namespace ${namespace} does not exist or lacks the label ${CONSENT_LABEL}: ${name}`;
    return notPermitted(NAMESPACE, message, 'withdraw');
  }
  if (view.ownerOf(namespace) !== name) {
    return conflicted(NAMESPACE, `another Workspace that is older has the namespace ${namespace}`);
  }
  return undefined;
}
