/**
 * Cloud identities of the gateway's own pod. They belong to the organisation: its resources may use them, resources of a
 * workspace only where the Organisation grants it, and calls never (docs/behaviour/cloud-identities.md).
 */

/** The clouds whose identity a pod can have. */
export const CLOUDS = ['aws', 'azure', 'gcp'] as const;
export type Cloud = (typeof CLOUDS)[number];

/** The settings of a provider that use the identity of the pod. */
export interface PodIdentity {
  readonly cloud: Cloud;
  /** The setting that chooses how to authenticate. */
  readonly field: string;
  /** Its values that use the identity. */
  readonly values: Readonly<Record<string, IdentityUse>>;
  /** Token scopes that accounts of workspaces may request; absent: the cloud has none. */
  readonly scopes?: { readonly field: string; readonly allowed: readonly string[] };
  /** Settings of accounts of the organisation alone: with the identity they reach another API than that of models. */
  readonly ofOrganisation?: readonly string[];
  /** Domains of the vendor: hosts to which the identity may be sent for an account of a workspace. */
  readonly domains?: readonly string[];
}

interface IdentityUse {
  /** A stored key pair is used instead of the identity. */
  readonly replacedBySecret?: true;
  /** The setting with the external id for assuming a role. */
  readonly externalId?: string;
}

export const AWS_IDENTITY: PodIdentity = {
  cloud: 'aws',
  field: 'aws_auth_type',
  values: { serviceRole: {}, assumedRole: { replacedBySecret: true, externalId: 'aws_external_id' } },
};

/** Source: the vendor's pages on authentication of Azure OpenAI and Foundry, sovereign clouds included. */
export const AZURE_IDENTITY: PodIdentity = {
  cloud: 'azure',
  field: 'azure_auth_mode',
  values: { managed: {}, workload: {} },
  scopes: {
    field: 'azure_entra_scope',
    allowed: [
      'https://cognitiveservices.azure.com/.default',
      'https://cognitiveservices.azure.us/.default',
      'https://cognitiveservices.azure.cn/.default',
      'https://ai.azure.com/.default',
      'https://ai.azure.us/.default',
    ],
  },
  ofOrganisation: ['azure_storage_account'],
  domains: [
    ...['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com', 'inference.ai.azure.com'],
    ...['models.ai.azure.com', 'openai.azure.us', 'cognitiveservices.azure.us', 'openai.azure.cn'],
  ],
};

export const GCP_IDENTITY: PodIdentity = {
  cloud: 'gcp',
  field: 'vertex_auth_type',
  values: { workload: {} },
};
