import { z } from 'zod';
import { CLOUDS } from '../providers/index.ts';
import { flag, httpUrl, mapList, objectName, opaque, pattern, setList, text } from '../schema/index.ts';
import {
  API_VERSION,
  defineKind,
  displayName,
  guardrailRefs,
  keyPolicy,
  nameRef,
  quota,
  roleToggles,
  statusOf,
} from './parts/index.ts';

const workspaceNames = (description: string) => setList(objectName('A Workspace.'), description, 500);

const jwtIssuer = z.strictObject({
  issuer: text('issuer is the expected iss claim.', 2048),
  jwksUri: httpUrl('jwksUri is where the signing keys are published.'),
  audiences: setList(z.string().min(1).max(256), 'audiences are the accepted aud claims; absent: any.', 16).optional(),
});

const cloudIdentityGrant = z.strictObject({
  workspace: objectName('workspace names the Workspace whose VirtualKeys and Integrations may use the identity.'),
  clouds: setList(z.enum(CLOUDS), 'clouds are the clouds whose identity is lent.', CLOUDS.length).min(1),
});

const tenantHost = z.strictObject({
  host: pattern(
    /^(\*\.)?[a-z0-9.:-]+$/,
    'a host name, with everything below it, or an IP address, in lower case',
    253,
  ).meta({ description: 'host is a name, with everything below it, or an IP address, in lower case.' }),
  workspaces: workspaceNames('workspaces are those whose resources may name it; absent: all.').optional(),
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
    headersToMask: setList(
      pattern(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name in lower case', 256),
      'headersToMask are header names, in lower case, whose values never reach a log.',
      64,
    ).optional(),
    inputGuardrailRefs: guardrailRefs('inputGuardrailRefs check every request of every workspace.').optional(),
    outputGuardrailRefs: guardrailRefs('outputGuardrailRefs check every answer of every workspace.').optional(),
    inputGuardrailExemptWorkspaces: workspaceNames(
      'inputGuardrailExemptWorkspaces are workspaces that the input guardrails of the organisation pass over.',
    ).optional(),
    outputGuardrailExemptWorkspaces: workspaceNames(
      'outputGuardrailExemptWorkspaces are workspaces that the output guardrails of the organisation pass over.',
    ).optional(),
    tenantHosts: mapList(tenantHost, ['host'], {
      description:
        'tenantHosts are private hosts that resources of workspaces may name besides the Services of their own namespaces.',
      max: 256,
    }).optional(),
    metadataSchema: opaque(
      'metadataSchema is a JSON Schema (draft-07, string properties) for the metadata of new keys and workspaces.',
    ).optional(),
    keyPolicy: keyPolicy.optional(),
    workspaceQuota: quota(
      'workspaceQuota bounds what each workspace asks of the control plane; beyond it the newest resources are not accepted. Default 20000 objects, 32 MiB, 10 million units, 8 fleets, 50 sidecar profiles.',
    ).optional(),
    jwtIssuers: mapList(jwtIssuer, ['issuer'], {
      description: 'jwtIssuers issue tokens that stand for API keys.',
      max: 16,
    }).optional(),
    roleToggles: roleToggles.optional(),
    cloudIdentityGrants: mapList(cloudIdentityGrant, ['workspace'], {
      description:
        "cloudIdentityGrants lend cloud identities of the gateway's pods to accounts of workspaces; absent: to none.",
      max: 500,
    }).optional(),
    deniedExportFields: setList(
      z.string().min(1).max(64),
      'deniedExportFields are log fields that exports leave out.',
      64,
    ).optional(),
  })
  .meta({ description: 'spec is what the organisation wants for all its workspaces.' });

const named = (name: string) => ({ apiVersion: API_VERSION, kind: 'Organisation', metadata: { name }, spec: {} });

export const organisation = defineKind({
  kind: 'Organisation',
  plural: 'organisations',
  shortNames: ['gworg'],
  scope: 'Cluster',
  summary: 'Defaults and enforcement for every workspace of the installation; there is one, named default.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Saved only', type: 'string', jsonPath: '.spec.savedConfigsOnly' },
    { name: 'Workspace', type: 'string', jsonPath: '.spec.defaultWorkspaceRef.name' },
  ],
  rules: [
    {
      cel: "self.metadata.name == 'default'",
      message: 'the one Organisation of an installation is named default',
      at: 'metadata.name',
      holds: ({ metadata }) => metadata.name === 'default',
      valid: [named('default')],
      invalid: [named('acme')],
    },
  ],
});
