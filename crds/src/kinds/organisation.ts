import { z } from 'zod';
import { checkBaseUrl } from '../hosts/index.ts';
import { CLOUDS } from '../providers/index.ts';
import { flag, httpUrl, type Issue, mapList, objectName, opaque, pattern, setList, text } from '../schema/index.ts';
import { OWN_IDENTITY_MANAGERS } from './managers.ts';
import {
  API_VERSION,
  defineKind,
  displayName,
  guardrailRefs,
  headersToMask,
  jwtIssuers,
  keyPolicy,
  metadataSchemaIssues,
  nameRef,
  organisationLogging,
  quota,
  roleToggles,
  secretKeyRef,
  statusOf,
} from './parts/index.ts';

const workspaceNames = (description: string) => setList(objectName('A Workspace.'), description, 500);

const alertWebhook = z.strictObject({
  name: pattern(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes', 63).meta({
    description: 'name identifies the webhook in logs and events.',
  }),
  url: httpUrl('url gets a POST request for each alert.'),
  secretRef: secretKeyRef(
    "secretRef names the Secret entry, in the organisation's namespace, with the key that signs the alerts.",
  ),
});

const cloudIdentityGrant = z.strictObject({
  workspace: objectName(
    'workspace names the Workspace whose VirtualKeys, Integrations and GatewayFleets may use the identity.',
  ),
  clouds: setList(z.enum(CLOUDS), 'clouds are the clouds whose identity is granted.', CLOUDS.length).min(1),
});

const operatorIdentityGrant = z.strictObject({
  workspace: objectName('workspace names the Workspace whose SecretReferences may use the identity.'),
  manager: z.enum(OWN_IDENTITY_MANAGERS).meta({ description: 'manager is the secret manager that may be called.' }),
  pathPrefix: pattern(/^[A-Za-z0-9_+=.@!:/-]*[/_.-]$/, 'a path that ends with /, -, _ or .', 512).meta({
    description:
      'pathPrefix is what paths of the workspace begin with; of Vault, a path has its namespace, if any, and its mount before it.',
  }),
  locations: setList(
    text('A region of AWS, the URL of a vault of Azure, a project of GCP, or the address of a Vault server.', 2048),
    'locations are where the secrets may be.',
    32,
  ).min(1),
});

const tenantHost = z.strictObject({
  host: pattern(/^(\*\.)?[a-z0-9.:-]+$/, 'a host name, *.name or an IP address, in lower case', 253).meta({
    description: 'host is a host name, which includes every name below it, or an IP address, in lower case.',
  }),
  workspaces: workspaceNames(
    'workspaces are the workspaces whose resources may name the host; absent: all.',
  ).optional(),
});

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    savedConfigsOnly: flag(
      'savedConfigsOnly refuses inline configs, raw provider names and custom hosts of requests, in every workspace.',
      false,
    ),
    defaultWorkspaceRef: nameRef(
      'defaultWorkspaceRef names the Workspace in which organisation keys make requests.',
    ).optional(),
    headersToMask: headersToMask(
      'headersToMask are header names, in lower case, whose values are masked in logs.',
    ).optional(),
    logging: organisationLogging.optional(),
    inputGuardrailRefs: guardrailRefs('inputGuardrailRefs check every request of every workspace.').optional(),
    outputGuardrailRefs: guardrailRefs('outputGuardrailRefs check every answer of every workspace.').optional(),
    inputGuardrailExemptWorkspaces: workspaceNames(
      'inputGuardrailExemptWorkspaces are workspaces that are exempt from the input guardrails of the organisation.',
    ).optional(),
    outputGuardrailExemptWorkspaces: workspaceNames(
      'outputGuardrailExemptWorkspaces are workspaces that are exempt from the output guardrails of the organisation.',
    ).optional(),
    tenantHosts: mapList(tenantHost, ['host'], {
      description:
        'tenantHosts are private hosts that resources of workspaces may name, in addition to the Services of their own namespaces.',
      max: 256,
    }).optional(),
    metadataSchema: opaque(
      'metadataSchema is a JSON Schema (draft-07) of an object of texts, for the metadata of new ApiKeys and Workspaces: type, required, and properties with enum, const, pattern, minLength and maxLength.',
    ).optional(),
    keyPolicy: keyPolicy.optional(),
    workspaceQuota: quota(
      'workspaceQuota bounds the resources of each workspace in the control plane; beyond it the newest resources are not accepted. Default 20000 objects, 32 MiB, 10 million units, 8 fleets, 50 sidecar profiles.',
    ).optional(),
    jwtIssuers: jwtIssuers.optional(),
    roleToggles: roleToggles.optional(),
    membersOnly: z
      .boolean()
      .meta({ description: 'membersOnly is the membersOnly of workspaces that have none.' })
      .optional(),
    cloudIdentityGrants: mapList(cloudIdentityGrant, ['workspace'], {
      description:
        "cloudIdentityGrants let accounts of workspaces use the cloud identities of the gateway's pods, and fleets of workspaces reach metadata addresses; absent: none may.",
      max: 500,
    }).optional(),
    operatorIdentityGrants: mapList(operatorIdentityGrant, ['workspace', 'manager'], {
      description:
        "operatorIdentityGrants let SecretReferences of workspaces use the operator's own identities; absent: none may.",
      max: 500,
    }).optional(),
    alertWebhooks: mapList(alertWebhook, ['name'], {
      description:
        'alertWebhooks are told, once per budget and period, of budgets that have reached their alertThreshold or are used up.',
      max: 8,
    }).optional(),
    deniedExportFields: setList(
      z.string().min(1).max(64),
      'deniedExportFields are log fields that exports leave out.',
      64,
    ).optional(),
  })
  .meta({ description: 'spec is what applies to all workspaces of the organisation.' });

type Spec = z.output<typeof spec>;

const hostIssues = ({ alertWebhooks = [] }: Spec): Issue[] =>
  alertWebhooks.flatMap(({ url }, i): Issue[] => {
    const checked = checkBaseUrl(url, []);
    if (checked.ok) return [];
    return [{ code: 'invalid', path: ['spec', 'alertWebhooks', i, 'url'], message: checked.error }];
  });

const schemaIssues = ({ metadataSchema }: Spec): Issue[] =>
  metadataSchema === undefined
    ? []
    : metadataSchemaIssues(metadataSchema).map((issue) => ({
        ...issue,
        path: ['spec', 'metadataSchema', ...issue.path],
      }));

const named = (name: string) => ({ apiVersion: API_VERSION, kind: 'Organisation', metadata: { name }, spec: {} });

export const organisation = defineKind({
  kind: 'Organisation',
  plural: 'organisations',
  shortNames: ['gworg'],
  scope: 'Cluster',
  summary: 'Defaults and enforcement for every workspace of the installation. There is exactly one, named default.',
  spec,
  status: statusOf({}),
  check: ({ spec: wanted }) => [...hostIssues(wanted), ...schemaIssues(wanted)],
  columns: [
    { name: 'Saved only', type: 'string', jsonPath: '.spec.savedConfigsOnly' },
    { name: 'Workspace', type: 'string', jsonPath: '.spec.defaultWorkspaceRef.name' },
  ],
  rules: [
    {
      cel: "self.metadata.name == 'default'",
      message: 'the only Organisation of an installation is named default',
      at: 'metadata.name',
      holds: ({ metadata }) => metadata.name === 'default',
      valid: [named('default')],
      invalid: [named('acme')],
    },
  ],
});
