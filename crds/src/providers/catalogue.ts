/**
 * The providers this version serves and the fields a target of each may carry. Source: spec/providers.yaml
 * (`target_fields`). The data plane's behaviour per provider lives in `gateway/src/providers`.
 */

/** One field of a target beside the API key. */
export interface ProviderField {
  /** Name in configs and in `spec.settings`. */
  readonly key: string;
  /** Request header that carries it, lower case; absent: configs only. */
  readonly header?: string;
  /** A credential: comes from a Secret, never from `spec.settings`. */
  readonly secret?: true;
  /** One sentence for the reference. */
  readonly note?: string;
  /** The value is an address: refused in headers when only saved configs are allowed, and checked like a custom host. */
  readonly url?: true;
  /** Describes the call, not the account: its header counts also when a config or resource names the provider. */
  readonly perCall?: true;
  /** A plain header of the vendor that means the same, lower case. */
  readonly plainHeader?: string;
}

export interface ProviderEntry {
  readonly id: string;
  readonly fields: readonly ProviderField[];
  /** Each group needs at least one of its fields; `custom_host` and `deployments` count as fields. */
  readonly requires: readonly (readonly string[])[];
  /** Fields of which one proves that the target can authenticate; empty = the provider works without a credential. */
  readonly credentials: readonly string[];
}

/** The name of the plain API key among a provider's fields. */
export const API_KEY = 'api_key';

const gw = (key: string, suffix: string, more: Omit<ProviderField, 'key' | 'header'> = {}): ProviderField => ({
  key,
  header: `x-gw-${suffix}`,
  ...more,
});

const SECRET = { secret: true } as const;
const PER_CALL = { perCall: true } as const;

const ANTHROPIC = [
  gw('anthropic_beta', 'anthropic-beta', {
    perCall: true,
    plainHeader: 'anthropic-beta',
    note: 'comma-separated feature flags',
  }),
  gw('anthropic_version', 'anthropic-version', {
    perCall: true,
    plainHeader: 'anthropic-version',
    note: 'API version',
  }),
];

const AWS = [
  gw('aws_region', 'aws-region', { note: 'us-east-1 when absent' }),
  gw('aws_auth_type', 'aws-auth-type', { note: 'absent: static keys; assumedRole, serviceRole or apiKey' }),
  gw('aws_access_key_id', 'aws-access-key-id', SECRET),
  gw('aws_secret_access_key', 'aws-secret-access-key', SECRET),
  gw('aws_session_token', 'aws-session-token', SECRET),
  gw('aws_role_arn', 'aws-role-arn'),
  gw('aws_external_id', 'aws-external-id'),
];
const AWS_CREDENTIALS = ['aws_access_key_id', 'aws_role_arn', 'aws_auth_type', API_KEY];

const AZURE = [
  gw('azure_ad_token', 'azure-ad-token', { ...SECRET, note: 'a ready Entra bearer token' }),
  gw('azure_auth_mode', 'azure-auth-mode', { note: 'entra, managed or workload' }),
  gw('azure_entra_tenant_id', 'azure-entra-tenant-id'),
  gw('azure_entra_client_id', 'azure-entra-client-id'),
  gw('azure_entra_client_secret', 'azure-entra-client-secret', SECRET),
  gw('azure_entra_scope', 'azure-entra-scope', { note: 'token scope; cognitive services when absent' }),
  gw('azure_managed_client_id', 'azure-managed-client-id'),
  { key: 'azure_workload_client_id' },
];
const AZURE_CREDENTIALS = [API_KEY, 'azure_ad_token', 'azure_auth_mode'];

const sagemaker = (name: string, note?: string): ProviderField =>
  gw(`amzn_sagemaker_${name.replaceAll('-', '_')}`, `amzn-sagemaker-${name}`, note === undefined ? {} : { note });

type Row = Partial<Omit<ProviderEntry, 'id'>>;

/** Providers whose targets carry more than an API key, or less. */
const SPECIAL: Readonly<Record<string, Row>> = {
  openai: {
    fields: [
      gw('openai_organization', 'openai-organization', { note: 'sent as OpenAI-Organization' }),
      gw('openai_project', 'openai-project', { note: 'sent as OpenAI-Project' }),
      gw('openai_beta', 'openai-beta', { perCall: true, plainHeader: 'openai-beta', note: 'sent as OpenAI-Beta' }),
    ],
  },
  anthropic: { fields: ANTHROPIC },
  'azure-openai': {
    fields: [
      gw('resource_name', 'azure-resource-name'),
      gw('deployment_id', 'azure-deployment-id'),
      gw('api_version', 'azure-api-version', { note: 'v1 uses the versionless paths' }),
      gw('azure_model_name', 'azure-model-name', { note: 'for cost attribution only' }),
      gw('openai_beta', 'openai-beta', { note: 'sent as OpenAI-Beta' }),
      ...AZURE,
    ],
    requires: [
      ['resource_name', 'custom_host'],
      ['deployment_id', 'deployments'],
    ],
    credentials: AZURE_CREDENTIALS,
  },
  'azure-ai': {
    fields: [
      gw('azure_foundry_url', 'azure-foundry-url', { url: true }),
      gw('azure_api_version', 'azure-api-version'),
      gw('azure_extra_parameters', 'azure-extra-parameters', { note: 'pass-through, drop (when absent) or error' }),
      gw('azure_deployment_name', 'azure-deployment-name'),
      gw('anthropic_version', 'anthropic-version', { perCall: true, plainHeader: 'anthropic-version' }),
      ...AZURE,
    ],
    requires: [['azure_foundry_url', 'custom_host']],
    credentials: AZURE_CREDENTIALS,
  },
  bedrock: {
    fields: [
      ...AWS,
      gw('aws_s3_bucket', 'aws-s3-bucket', PER_CALL),
      gw('aws_s3_object_key', 'aws-s3-object-key', PER_CALL),
      gw('aws_bedrock_model', 'aws-bedrock-model', PER_CALL),
      gw('aws_server_side_encryption', 'amz-server-side-encryption', PER_CALL),
      gw('aws_server_side_encryption_kms_key_id', 'amz-server-side-encryption-aws-kms-key-id', PER_CALL),
      gw('aws_service', 'aws-service', { perCall: true, note: 'service name in the signature of proxied calls' }),
      gw('model_type', 'model-type', PER_CALL),
      ...ANTHROPIC,
    ],
    credentials: AWS_CREDENTIALS,
  },
  'vertex-ai': {
    fields: [
      gw('vertex_project_id', 'vertex-project-id', { note: 'the project of the service account wins' }),
      gw('vertex_region', 'vertex-region'),
      gw('vertex_service_account_json', 'vertex-service-account-json', {
        ...SECRET,
        note: 'the key file as JSON text',
      }),
      gw('vertex_auth_type', 'vertex-auth-type', { note: 'workload uses the identity of the machine' }),
      gw('vertex_storage_bucket_name', 'vertex-storage-bucket-name', PER_CALL),
      gw('filename', 'provider-file-name', PER_CALL),
      gw('vertex_model_name', 'provider-model', PER_CALL),
      gw('vertex_batch_endpoint', 'provider-batch-endpoint', PER_CALL),
      gw('file_purpose', 'file-purpose', PER_CALL),
      gw('vertex_skip_ptu_cost_attribution', 'vertex-skip-ptu-cost-attribution'),
      ...ANTHROPIC,
    ],
    requires: [['vertex_region'], ['vertex_project_id', 'vertex_service_account_json']],
    credentials: ['vertex_service_account_json', 'vertex_auth_type', API_KEY],
  },
  sagemaker: {
    fields: [
      ...AWS,
      sagemaker('custom-attributes'),
      sagemaker('target-model'),
      sagemaker('target-variant'),
      sagemaker('target-container-hostname'),
      sagemaker('inference-id'),
      sagemaker('enable-explanations'),
      sagemaker('inference-component'),
      sagemaker('session-id'),
      sagemaker('model-name', 'for cost attribution only'),
    ],
    credentials: AWS_CREDENTIALS,
  },
  'mistral-ai': {
    fields: [{ key: 'mistral_fim_completion', note: 'true sends chat and completions to the fill-in-the-middle API' }],
  },
  huggingface: {
    fields: [gw('huggingface_base_url', 'huggingface-base-url', { url: true, note: 'a dedicated endpoint' })],
  },
  cortex: { fields: [gw('snowflake_account', 'snowflake-account')], requires: [['snowflake_account', 'custom_host']] },
  databricks: {
    fields: [
      gw('databricks_workspace', 'databricks-workspace'),
      gw('databricks_serving_endpoint_name', 'databricks-serving-endpoint-name', {
        note: 'selects the endpoint independent of the model',
      }),
    ],
    requires: [['databricks_workspace', 'custom_host']],
  },
  deepbricks: {
    fields: [gw('openai_organization', 'openai-organization'), gw('openai_project', 'openai-project')],
  },
  modal: {
    fields: [
      { key: 'modal_key', header: 'modal-key', ...SECRET },
      { key: 'modal_secret', header: 'modal-secret', ...SECRET },
    ],
    credentials: [],
  },
  ollama: { requires: [['custom_host']], credentials: [] },
  qdrant: { requires: [['custom_host']] },
  milvus: { requires: [['custom_host']] },
};

/** Providers that need nothing but an API key. */
const PLAIN = [
  '302ai',
  'aibadgr',
  'anyscale',
  'cerebras',
  'cohere',
  'cometapi',
  'dashscope',
  'deepinfra',
  'deepseek',
  'featherless-ai',
  'github',
  'google',
  'groq',
  'hyperbolic',
  'inference-net',
  'iointelligence',
  'jina',
  'kluster-ai',
  'krutrim',
  'lambda',
  'latitude',
  'lemonfox-ai',
  'lepton',
  'lingyi',
  'matterai',
  'meshy',
  'monsterapi',
  'moonshot',
  'ncompass',
  'nebius',
  'nextbit',
  'nomic',
  'novita-ai',
  'nscale',
  'openrouter',
  'ovhcloud',
  'perplexity-ai',
  'pinecone',
  'predibase',
  'recraft-ai',
  'replicate',
  'sambanova',
  'segmind',
  'siliconflow',
  'together-ai',
  'tripo3d',
  'upstage',
  'voyage',
  'x-ai',
  'z-ai',
  'zhipu',
] as const;

const toEntry = (id: string, row: Row): ProviderEntry => ({
  id,
  fields: row.fields ?? [],
  requires: row.requires ?? [],
  credentials: row.credentials ?? [API_KEY],
});

/** Every provider by its id. */
export const PROVIDER_CATALOGUE: ReadonlyMap<string, ProviderEntry> = new Map(
  [...Object.entries(SPECIAL).map(([id, row]) => toEntry(id, row)), ...PLAIN.map((id) => toEntry(id, {}))]
    .sort((a, b) => a.id.localeCompare(b.id, 'en'))
    .map((entry) => [entry.id, entry]),
);
