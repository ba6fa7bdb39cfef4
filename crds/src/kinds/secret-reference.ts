import { z } from 'zod';
import {
  flag,
  httpUrl,
  type Issue,
  int,
  objectName,
  pattern,
  type Rule,
  setList,
  stringMap,
  text,
  withRules,
} from '../schema/index.ts';
import { AZURE_VAULT_URL, SECRET_MANAGERS } from './managers.ts';
import { defineKind, description, displayName, externalId, nameRef, roleArn, statusOf } from './parts/index.ts';

const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
/** A path of the Vault API, without the slashes around it. */
const MOUNT = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;

const vault = z
  .strictObject({
    address: httpUrl('address is the base URL of the Vault server, e.g. https://vault.example.com:8200.'),
    namespace: pattern(MOUNT, 'a namespace of Vault', 256)
      .meta({ description: 'namespace is the namespace of Vault Enterprise.' })
      .optional(),
    mount: pattern(MOUNT, 'a mount path', 256)
      .meta({ description: 'mount is the path of the key-value engine.' })
      .default('secret'),
    engine: z.enum(['V1', 'V2']).meta({ description: 'engine is the version of the key-value engine.' }).default('V2'),
    authMethod: z.enum(['Token', 'AppRole', 'Kubernetes']).meta({
      description:
        "authMethod is how to log in: Token and AppRole with credentialsRef, Kubernetes with the operator's own ServiceAccount token.",
    }),
    authMount: pattern(MOUNT, 'a mount path', 256)
      .meta({ description: 'authMount is the path of the auth method; absent: approle or kubernetes.' })
      .optional(),
    role: text('role is the role of the auth method Kubernetes.', 256).optional(),
    caCertificate: text('caCertificate is the certificate authority of the server, as PEM.', 65_536).optional(),
  })
  .meta({ description: 'vault is how to reach HashiCorp Vault.' });

const aws = z
  .strictObject({
    region: pattern(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'a region of AWS', 32).meta({
      description: 'region is the region of the secret.',
    }),
    authMethod: z.enum(['AccessKey', 'OwnIdentity']).meta({
      description: "authMethod is whose credentials are used: those of credentialsRef or the operator's own.",
    }),
    roleArn: roleArn('roleArn is the role to assume with these credentials.'),
    externalId: externalId('externalId is the external id that the role asks for.'),
  })
  .meta({ description: 'aws is how to reach AWS Secrets Manager.' });

const azure = z
  .strictObject({
    vaultUrl: pattern(AZURE_VAULT_URL, 'the URL of a vault, e.g. https://team-a.vault.azure.net', 256).meta({
      description: 'vaultUrl is the URL of the vault.',
    }),
    authMethod: z.enum(['ClientSecret', 'OwnIdentity']).meta({
      description: "authMethod is whose credentials are used: those of credentialsRef or the operator's own.",
    }),
    tenantId: pattern(UUID, 'a UUID', 36)
      .meta({ description: 'tenantId is the directory of the application.' })
      .optional(),
    clientId: pattern(UUID, 'a UUID', 36).meta({ description: 'clientId is the application.' }).optional(),
  })
  .meta({ description: 'azure is how to reach Azure Key Vault.' });

const gcp = z
  .strictObject({
    project: pattern(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'the id of a project', 30).meta({
      description: 'project is the project of the secret.',
    }),
    authMethod: z.enum(['ServiceAccountKey', 'OwnIdentity']).meta({
      description: "authMethod is whose credentials are used: those of credentialsRef or the operator's own.",
    }),
    version: pattern(/^(latest|[1-9][0-9]{0,9})$/, 'latest or a number', 10)
      .meta({ description: 'version is the version of the secret.' })
      .default('latest'),
  })
  .meta({ description: 'gcp is how to reach GCP Secret Manager.' });

const fields = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    manager: z.enum(SECRET_MANAGERS).meta({
      description: 'manager is what keeps the secret.',
      immutable: 'manager cannot change; make another SecretReference',
    }),
    path: pattern(/^[A-Za-z0-9_+=.@!:][A-Za-z0-9_+=.@!:/-]*$/, 'the name of a secret', 1024).meta({
      description:
        'path is the name of the secret in its manager; with Kubernetes, of a Secret in the namespace of this object.',
    }),
    key: text(
      'key is the member of the secret that is used where a mapping names none; absent: the whole secret.',
      253,
    ).optional(),
    credentialsRef: nameRef(
      'credentialsRef names the Secret, in the same namespace, with the credentials for the manager.',
    ).optional(),
    vault: vault.optional(),
    aws: aws.optional(),
    azure: azure.optional(),
    gcp: gcp.optional(),
    refreshSeconds: int('refreshSeconds is how often the secret is fetched again.', 60, 86_400).default(300),
    allowAllWorkspaces: flag(
      'allowAllWorkspaces true hands the value of a reference of the organisation to every workspace.',
      false,
    ),
    allowedWorkspaces: setList(
      objectName('A Workspace.'),
      'allowedWorkspaces are the workspaces that a reference of the organisation hands its value to.',
      500,
    ).optional(),
    tags: stringMap('tags are labels for people.', 64, 256).optional(),
  })
  .meta({ description: 'spec is where the secret is and how it is fetched.' });

type Spec = z.output<typeof fields>;

const SECRET = { path: 'openai' };
const ADDRESS = 'https://vault.example.com';
const VAULT = { address: ADDRESS, authMethod: 'Token' };
const TOKEN = { credentialsRef: { name: 'vault' } };
const OF_VAULT = { ...SECRET, ...TOKEN, manager: 'Vault', vault: VAULT };
const OF_KUBERNETES = { ...SECRET, manager: 'Kubernetes' };

/** Of each manager: its member of the spec. */
const MEMBERS = { Vault: 'vault', AwsSecretsManager: 'aws', AzureKeyVault: 'azure', GcpSecretManager: 'gcp' } as const;

const memberRules = Object.entries(MEMBERS).map(
  ([manager, member]): Rule<Spec> => ({
    cel: `(self.manager == '${manager}') == has(self.${member})`,
    message: `${member} is needed with the manager ${manager} and not allowed with others`,
    at: member,
    // The values of the table are members of the spec.
    holds: (spec) =>
      (spec.manager === manager) === (spec[member as (typeof MEMBERS)[keyof typeof MEMBERS]] !== undefined),
    valid: member === 'vault' ? [OF_VAULT, OF_KUBERNETES] : [OF_KUBERNETES],
    invalid: [{ ...SECRET, manager }],
  }),
);

const RULES: readonly Rule<Spec>[] = [
  ...memberRules,
  {
    cel: "self.manager != 'Kubernetes' || (self.path.size() <= 253 && self.path.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'))",
    message: 'with the manager Kubernetes, path is the name of a Secret',
    at: 'path',
    holds: ({ manager, path }) => manager !== 'Kubernetes' || (path.length <= 253 && SECRET_NAME.test(path)),
    valid: [OF_KUBERNETES, { manager: 'Kubernetes', path: 'team-a.openai' }],
    invalid: [
      { manager: 'Kubernetes', path: 'other/openai' },
      { manager: 'Kubernetes', path: 'a..b' },
    ],
  },
  {
    cel: '!self.allowAllWorkspaces || !has(self.allowedWorkspaces)',
    message: 'allowAllWorkspaces and allowedWorkspaces exclude each other',
    at: 'allowedWorkspaces',
    holds: ({ allowAllWorkspaces, allowedWorkspaces }) => !allowAllWorkspaces || allowedWorkspaces === undefined,
    valid: [
      { ...OF_KUBERNETES, allowAllWorkspaces: true },
      { ...OF_KUBERNETES, allowAllWorkspaces: false, allowedWorkspaces: ['team-a'] },
    ],
    invalid: [{ ...OF_KUBERNETES, allowAllWorkspaces: true, allowedWorkspaces: ['team-a'] }],
  },
  {
    cel: "has(self.credentialsRef) == ((has(self.vault) && self.vault.authMethod != 'Kubernetes') || (has(self.aws) && self.aws.authMethod == 'AccessKey') || (has(self.azure) && self.azure.authMethod == 'ClientSecret') || (has(self.gcp) && self.gcp.authMethod == 'ServiceAccountKey'))",
    message: 'credentialsRef is needed by the auth methods that use a Secret, and not allowed with others',
    at: 'credentialsRef',
    holds: (spec) => (spec.credentialsRef !== undefined) === needsCredentials(spec),
    valid: [OF_VAULT, OF_KUBERNETES],
    invalid: [
      { ...OF_KUBERNETES, ...TOKEN },
      { ...SECRET, manager: 'Vault', vault: VAULT },
      { ...OF_VAULT, vault: { address: ADDRESS, authMethod: 'Kubernetes', role: 'gatehouse' } },
    ],
  },
];

const SECRET_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function needsCredentials({ vault: atVault, aws: atAws, azure: atAzure, gcp: atGcp }: Spec): boolean {
  return (
    (atVault !== undefined && atVault.authMethod !== 'Kubernetes') ||
    atAws?.authMethod === 'AccessKey' ||
    atAzure?.authMethod === 'ClientSecret' ||
    atGcp?.authMethod === 'ServiceAccountKey'
  );
}

const problem = (path: readonly string[], message: string): Issue => ({
  code: 'invalid',
  path: ['spec', ...path],
  message,
});

/** Segments that a server could read as a way out of the mount. */
const hasDotSegment = (path: string): boolean => path.split('/').some((part) => /^\.*$/.test(part));

function check({ vault: atVault, azure: atAzure, path, manager }: Spec): Issue[] {
  const issues: Issue[] = [];
  if (hasDotSegment(path)) issues.push(problem(['path'], 'it has an empty segment, or one of dots alone'));
  if (manager === 'AzureKeyVault' && !/^[0-9A-Za-z-]{1,127}$/.test(path))
    issues.push(problem(['path'], 'names of Azure Key Vault have letters, digits and dashes, at most 127'));
  if (manager === 'GcpSecretManager' && !/^[0-9A-Za-z_-]{1,255}$/.test(path))
    issues.push(
      problem(['path'], 'names of GCP Secret Manager have letters, digits, dashes and underscores, at most 255'),
    );
  for (const member of ['mount', 'authMount', 'namespace'] as const) {
    if (hasDotSegment(atVault?.[member] ?? 'x'))
      issues.push(problem(['vault', member], 'it has a segment of dots alone'));
  }
  if ((atVault?.authMethod === 'Kubernetes') !== (atVault?.role !== undefined))
    issues.push(
      problem(['vault', 'role'], 'role is needed with the auth method Kubernetes and not allowed with others'),
    );
  for (const member of ['tenantId', 'clientId'] as const) {
    if ((atAzure?.authMethod === 'ClientSecret') !== (atAzure?.[member] !== undefined))
      issues.push(problem(['azure', member], `${member} is needed with ClientSecret and not allowed with OwnIdentity`));
  }
  return issues;
}

export const secretReference = defineKind({
  kind: 'SecretReference',
  plural: 'secretreferences',
  shortNames: ['gwsr'],
  summary: 'A secret in a secret manager, which VirtualKeys and Integrations take values from.',
  spec: withRules(fields, RULES),
  status: statusOf({}),
  columns: [
    { name: 'Manager', type: 'string', jsonPath: '.spec.manager' },
    { name: 'Path', type: 'string', jsonPath: '.spec.path' },
  ],
  check: ({ spec }) => check(spec),
});
