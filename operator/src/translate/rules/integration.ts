import type { Issue } from '@gatehouse/crds';
import { PLUGIN_CREDENTIALS } from '@gatehouse/crds/guardrails';
import type { Integration } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { credentialName } from '../incremental/index.ts';
import { defineRule, type Lookups, type ObjectScope, type RuleResult } from '../types/index.ts';
import { accountCredential, identityGrantOf, reachOf, readFields, readMappings, referencesOf } from './shared/index.ts';

/** The only entry of an Integration is its credential; the rest is in the entries of its Providers and Guardrails. */
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
    if (!PROVIDER_CATALOGUE.has(resource.spec.provider)) return serviceCredential(resource, scope, view);
    const { entries, findings } = accountCredential(resource, scope, view);
    const lending = identityGrantOf(resource.spec, scope.workspace, view);
    return { entries, findings: [...findings, ...lending.findings, ...reachOf(resource, scope, view).findings] };
  },
});

/** The credential of a guardrail service: what the Secret has of its fields, and the settings. */
function serviceCredential({ metadata, spec }: Integration, scope: ObjectScope, view: Lookups): RuleResult {
  const { namespace, workspace } = scope;
  const mapped = readMappings(spec.secretMappings, scope, view);
  if (!mapped.ok) return { entries: [], findings: mapped.error };
  const fields = readFields(
    PLUGIN_CREDENTIALS.get(spec.provider) ?? [],
    {
      namespace,
      secret: spec.secretRef?.name,
      path: ['spec', 'secretRef', 'name'],
      given: { ...spec.settings, ...mapped.value },
    },
    view,
  );
  if (!fields.ok) return { entries: [], findings: [fields.error] };
  const name = credentialName(['Integration', metadata.name], undefined, referencesOf(spec.secretMappings));
  return { entries: [{ kind: 'credential', workspace, name, body: { fields: fields.value } }], findings: [] };
}
