import { z } from 'zod';
import { createSuggestions } from '../lib/suggestions.ts';
import { flag, type Issue, namespaceName } from '../schema/index.ts';
import {
  API_VERSION,
  COARSE_UNITS,
  configRef,
  defineKind,
  description,
  displayName,
  guardrailRefs,
  headersToMask,
  keyPolicy,
  quota,
  rateLimits,
  requestMetadata,
  roleToggles,
  statusOf,
  usageColumns,
  usageLimits,
  usageStatus,
  workloadIdentities,
  workspaceLogging,
} from './parts/index.ts';
import { scopeProblem } from './scopes.ts';

const defaults = z
  .strictObject({
    metadata: requestMetadata.optional(),
    configRef: configRef.optional(),
    inputGuardrailRefs: guardrailRefs('inputGuardrailRefs check every request of the workspace.').optional(),
    outputGuardrailRefs: guardrailRefs('outputGuardrailRefs check every answer of the workspace.').optional(),
  })
  .meta({ description: 'defaults apply to requests whose key has no own defaults.' });

const spec = z
  .strictObject({
    namespace: namespaceName(
      'namespace contains the objects of the workspace; it must have the label gatehouse.dev/workspace with the name of the Workspace.',
    ).meta({ immutable: 'namespace cannot change; make another Workspace for another namespace' }),
    displayName: displayName.optional(),
    description: description.optional(),
    savedConfigsOnly: flag(
      'savedConfigsOnly refuses inline configs, raw provider names and custom hosts of requests.',
      false,
    ),
    defaults: defaults.optional(),
    headersToMask: headersToMask(
      'headersToMask are header names, in lower case, whose values are masked in logs for requests of the workspace, beside those of the Organisation.',
    ).optional(),
    logging: workspaceLogging.optional(),
    rateLimits: rateLimits(COARSE_UNITS).optional(),
    usageLimits: usageLimits().optional(),
    keyPolicy: keyPolicy.optional(),
    quota: quota(
      'quota bounds the resources of the workspace in the control plane; absent members are those of the Organisation.',
    ).optional(),
    roleToggles: roleToggles.optional(),
    membersOnly: z
      .boolean()
      .meta({
        description:
          'membersOnly true: keys of people work for members of the workspace only, with the rights of their role; false: for everyone. Absent: that of the Organisation, else true from the first WorkspaceMember on.',
      })
      .optional(),
    workloadIdentities: workloadIdentities.optional(),
  })
  .meta({ description: 'spec is the desired state of the workspace.' });

/** A token acts as a key of the workspace, so that it can have the scopes of one. */
function workloadScopeIssues(identities: z.output<typeof workloadIdentities>): Issue[] {
  const suggest = createSuggestions();
  return identities.flatMap(({ scopes }, i) =>
    scopes.flatMap((scope, j): Issue[] => {
      const message = scopeProblem(scope, 'workspace-service', suggest);
      const path = ['spec', 'workloadIdentities', i, 'scopes', j];
      return message === undefined ? [] : [{ code: 'invalid', path, message }];
    }),
  );
}

const named = (name: string) => ({
  apiVersion: API_VERSION,
  kind: 'Workspace',
  metadata: { name },
  spec: { namespace: 'team-a' },
});

export const workspace = defineKind({
  kind: 'Workspace',
  plural: 'workspaces',
  shortNames: ['gwws'],
  scope: 'Cluster',
  summary: 'A tenant: one namespace with its keys, providers and configs, and the settings for all of them.',
  spec,
  status: statusOf(usageStatus),
  columns: [
    { name: 'Namespace', type: 'string', jsonPath: '.spec.namespace' },
    { name: 'Config', type: 'string', jsonPath: '.spec.defaults.configRef.name' },
    ...usageColumns,
  ],
  rules: [
    {
      cel: 'self.metadata.name.size() <= 63',
      message: 'the name is used as a label of the namespace: at most 63 characters',
      at: 'metadata.name',
      holds: ({ metadata }) => metadata.name.length <= 63,
      valid: [named('team-a')],
      invalid: [named('a'.repeat(64))],
    },
  ],
  check: ({ spec: { workloadIdentities: identities = [] } }) => workloadScopeIssues(identities),
});
