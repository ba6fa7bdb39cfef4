/**
 * The providers of this version and the fields that a target of each may have: docs/behaviour/providers.md. How calls to a
 * provider are made is in `gateway/src/providers`.
 */
import { AWS_IDENTITY, AZURE_IDENTITY, GCP_IDENTITY, type PodIdentity } from './pod-identity.ts';

/**
 * What a field controls, which decides who may set it for a stored credential.
 * `call`: a feature of one call; its header is always accepted.
 * `setting`: how the account is called; an inline config may set it where the account does not.
 * `routing`: where the credential is sent or what it can reach (host, service, region, role, scope, project, deployment, bucket,
 * key); only the owner of the credential may set it.
 * `secret`: a credential; comes from a Secret, never from `spec.settings`.
 */
export type FieldKind = 'call' | 'setting' | 'routing' | 'secret';

/** One field of a target beside the API key. */
export interface ProviderField {
  /** Name in configs and in `spec.settings`. */
  readonly key: string;
  readonly kind: FieldKind;
  /** Request header of the field, lower case; absent: configs only. */
  readonly header?: string;
  /** One sentence for the reference. */
  readonly note?: string;
  /** The value is a URL: refused in headers when only saved configs are allowed, and checked like a custom host. */
  readonly url?: true;
  /** A header of the vendor with the same meaning, lower case. */
  readonly plainHeader?: string;
  /** It names the model whose price counts, whatever the target is asked for. */
  readonly namesPrice?: true;
  /** The feature that would read it and is not part of this version: settings with it are refused. */
  readonly unserved?: string;
}

export interface ProviderEntry {
  readonly id: string;
  readonly fields: readonly ProviderField[];
  /** Each group needs at least one of its fields; `custom_host` and `deployments` count as fields. */
  readonly requires: readonly (readonly string[])[];
  /** Fields of which one is enough to authenticate; empty = the provider works without a credential. */
  readonly credentials: readonly string[];
  /** The settings that use the identity of the gateway's own pod; absent: none. */
  readonly podIdentity?: PodIdentity;
  /** Its `gen_ai.provider.name` in the conventions of OpenTelemetry; absent: its id. */
  readonly genAiName?: string;
}

/** The name of the plain API key among a provider's fields. */
export const API_KEY = 'api_key';

const field =
  (kind: FieldKind) =>
  (key: string, suffix: string, more: Omit<ProviderField, 'key' | 'kind' | 'header'> = {}): ProviderField => ({
    key,
    kind,
    header: `x-gw-${suffix}`,
    ...more,
  });
const call = field('call');
const setting = field('setting');
const routing = field('routing');
const secret = field('secret');

const PRICED = { namesPrice: true, note: 'model whose price counts, for cost alone' } as const;

const ANTHROPIC = [
  call('anthropic_beta', 'anthropic-beta', { plainHeader: 'anthropic-beta', note: 'comma-separated feature flags' }),
  call('anthropic_version', 'anthropic-version', { plainHeader: 'anthropic-version', note: 'API version' }),
];

const AWS = [
  routing('aws_region', 'aws-region', { note: 'us-east-1 when absent' }),
  routing('aws_auth_type', 'aws-auth-type', { note: 'absent: static keys; assumedRole, serviceRole or apiKey' }),
  secret('aws_access_key_id', 'aws-access-key-id'),
  secret('aws_secret_access_key', 'aws-secret-access-key'),
  secret('aws_session_token', 'aws-session-token'),
  routing('aws_role_arn', 'aws-role-arn'),
  routing('aws_external_id', 'aws-external-id'),
];
const AWS_CREDENTIALS = ['aws_access_key_id', 'aws_role_arn', 'aws_auth_type', API_KEY];

const AZURE = [
  secret('azure_ad_token', 'azure-ad-token', { note: 'a ready Entra bearer token' }),
  routing('azure_auth_mode', 'azure-auth-mode', { note: 'entra, managed or workload' }),
  routing('azure_entra_tenant_id', 'azure-entra-tenant-id'),
  routing('azure_entra_client_id', 'azure-entra-client-id'),
  secret('azure_entra_client_secret', 'azure-entra-client-secret'),
  routing('azure_entra_scope', 'azure-entra-scope', { note: 'token scope; cognitive services when absent' }),
  routing('azure_managed_client_id', 'azure-managed-client-id'),
  { key: 'azure_workload_client_id', kind: 'routing' } as const,
  routing('azure_storage_account', 'azure-storage-account', {
    note: 'name of the storage account from which outputs of batches are read',
  }),
];
const AZURE_CREDENTIALS = [API_KEY, 'azure_ad_token', 'azure_auth_mode'];

const sagemaker = (kind: FieldKind, name: string, note?: string): ProviderField =>
  field(kind)(
    `amzn_sagemaker_${name.replaceAll('-', '_')}`,
    `amzn-sagemaker-${name}`,
    note === undefined ? {} : { note },
  );

type Row = Partial<Omit<ProviderEntry, 'id'>>;

/** Providers whose targets have other fields than an API key. */
const SPECIAL: Readonly<Record<string, Row>> = {
  openai: {
    fields: [
      routing('openai_organization', 'openai-organization', { note: 'sent as OpenAI-Organization' }),
      routing('openai_project', 'openai-project', { note: 'sent as OpenAI-Project' }),
      call('openai_beta', 'openai-beta', { plainHeader: 'openai-beta', note: 'sent as OpenAI-Beta' }),
    ],
  },
  anthropic: { fields: ANTHROPIC },
  'azure-openai': {
    fields: [
      routing('resource_name', 'azure-resource-name'),
      routing('deployment_id', 'azure-deployment-id'),
      setting('api_version', 'azure-api-version', { note: 'v1 uses the versionless paths' }),
      setting('azure_model_name', 'azure-model-name', PRICED),
      setting('openai_beta', 'openai-beta', { note: 'sent as OpenAI-Beta' }),
      ...AZURE,
    ],
    requires: [
      ['resource_name', 'custom_host'],
      ['deployment_id', 'deployments'],
    ],
    credentials: AZURE_CREDENTIALS,
    podIdentity: AZURE_IDENTITY,
  },
  'azure-ai': {
    fields: [
      routing('azure_foundry_url', 'azure-foundry-url', { url: true }),
      setting('azure_api_version', 'azure-api-version'),
      setting('azure_extra_parameters', 'azure-extra-parameters', {
        note: 'pass-through, drop (when absent) or error',
      }),
      routing('azure_deployment_name', 'azure-deployment-name'),
      call('anthropic_version', 'anthropic-version', { plainHeader: 'anthropic-version' }),
      ...AZURE,
    ],
    requires: [['azure_foundry_url', 'custom_host']],
    credentials: AZURE_CREDENTIALS,
    podIdentity: AZURE_IDENTITY,
  },
  bedrock: {
    fields: [
      ...AWS,
      routing('aws_s3_bucket', 'aws-s3-bucket', { note: 'the one bucket of files, batches and fine-tuning jobs' }),
      routing('aws_s3_object_key', 'aws-s3-object-key', { note: 'object of an upload; a new name when absent' }),
      call('filename', 'provider-file-name', { note: 'object of an upload; comes before aws_s3_object_key' }),
      call('aws_bedrock_model', 'aws-bedrock-model', {
        note: 'model of the rows of an upload, and behind an opaque ARN',
      }),
      call('provider_model', 'provider-model', { note: 'comes before aws_bedrock_model at an upload' }),
      routing('aws_server_side_encryption', 'amz-server-side-encryption', { note: 'of uploads' }),
      routing('aws_server_side_encryption_kms_key_id', 'amz-server-side-encryption-aws-kms-key-id', {
        note: 'of uploads and of the output of jobs',
      }),
      { key: 'aws_job_role_arn', kind: 'routing', note: 'role of batches and fine-tuning jobs' },
      routing('aws_service', 'aws-service', { note: 'service of proxied calls: bedrock when absent, or s3' }),
      call('model_type', 'model-type', { note: 'text: training data of prompts and completions' }),
      ...ANTHROPIC,
    ],
    credentials: AWS_CREDENTIALS,
    podIdentity: AWS_IDENTITY,
  },
  'vertex-ai': {
    fields: [
      routing('vertex_project_id', 'vertex-project-id', { note: 'the project of the service account wins' }),
      routing('vertex_region', 'vertex-region'),
      secret('vertex_service_account_json', 'vertex-service-account-json', { note: 'the key file as JSON text' }),
      routing('vertex_auth_type', 'vertex-auth-type', { note: 'workload uses the identity of the machine' }),
      routing('vertex_storage_bucket_name', 'vertex-storage-bucket-name', {
        note: 'the one bucket of files, batches and fine-tuning jobs',
      }),
      call('filename', 'provider-file-name', { note: 'object of an upload; a new name when absent' }),
      call('vertex_model_name', 'provider-model', { note: 'model of the rows of an upload' }),
      call('vertex_batch_endpoint', 'provider-batch-endpoint', {
        note: '/v1/chat/completions when absent, or /v1/embeddings',
      }),
      call('file_purpose', 'file-purpose', { note: 'upload: the bytes of an upload as they are' }),
      setting('vertex_skip_ptu_cost_attribution', 'vertex-skip-ptu-cost-attribution', {
        unserved: 'the cost of provisioned throughput is',
      }),
      ...ANTHROPIC,
    ],
    requires: [['vertex_region'], ['vertex_project_id', 'vertex_service_account_json']],
    credentials: ['vertex_service_account_json', 'vertex_auth_type', API_KEY],
    podIdentity: GCP_IDENTITY,
  },
  sagemaker: {
    fields: [
      ...AWS,
      sagemaker('setting', 'custom-attributes'),
      sagemaker('routing', 'target-model'),
      sagemaker('routing', 'target-variant'),
      sagemaker('routing', 'target-container-hostname'),
      sagemaker('setting', 'inference-id'),
      sagemaker('setting', 'enable-explanations'),
      sagemaker('routing', 'inference-component'),
      sagemaker('setting', 'session-id'),
      { ...sagemaker('setting', 'model-name'), ...PRICED },
    ],
    credentials: AWS_CREDENTIALS,
    podIdentity: AWS_IDENTITY,
  },
  'mistral-ai': {
    fields: [
      {
        key: 'mistral_fim_completion',
        kind: 'setting',
        note: 'true sends chat and completions to the fill-in-the-middle API',
      },
    ],
  },
  huggingface: {
    fields: [routing('huggingface_base_url', 'huggingface-base-url', { url: true, note: 'a dedicated endpoint' })],
  },
  cortex: {
    fields: [routing('snowflake_account', 'snowflake-account')],
    requires: [['snowflake_account', 'custom_host']],
  },
  'fireworks-ai': {
    fields: [
      routing('fireworks_account_id', 'fireworks-account-id', {
        note: 'opens files and fine-tuning jobs of the account, and proxied calls to its data sets and jobs',
      }),
      call('fireworks_file_length', 'file-upload-size', { note: 'number of bytes of the file of an upload' }),
    ],
  },
  databricks: {
    fields: [
      routing('databricks_workspace', 'databricks-workspace'),
      routing('databricks_serving_endpoint_name', 'databricks-serving-endpoint-name', {
        note: 'selects the endpoint independent of the model',
      }),
    ],
    requires: [['databricks_workspace', 'custom_host']],
  },
  deepbricks: {
    fields: [routing('openai_organization', 'openai-organization'), routing('openai_project', 'openai-project')],
  },
  modal: {
    fields: [
      { key: 'modal_key', kind: 'secret', header: 'modal-key' },
      { key: 'modal_secret', kind: 'secret', header: 'modal-secret' },
    ],
    credentials: [],
  },
  ollama: { requires: [['custom_host']], credentials: [] },
  'workers-ai': {
    fields: [routing('workers_ai_account_id', 'workers-ai-account-id')],
    requires: [['workers_ai_account_id', 'custom_host']],
  },
  triton: { requires: [['custom_host']], credentials: [] },
  'stability-ai': {
    fields: [
      setting('stability_client_id', 'stability-client-id', { note: 'sent as Stability-Client-ID' }),
      setting('stability_client_user_id', 'stability-client-user-id', { note: 'sent as Stability-Client-User-ID' }),
      setting('stability_client_version', 'stability-client-version', { note: 'sent as Stability-Client-Version' }),
    ],
  },
  oracle: {
    fields: [
      routing('oracle_region', 'oracle-region', { note: 'of the host, e.g. us-chicago-1' }),
      routing('oracle_compartment_id', 'oracle-compartment-id'),
      routing('oracle_tenancy', 'oracle-tenancy'),
      routing('oracle_user', 'oracle-user'),
      routing('oracle_fingerprint', 'oracle-fingerprint', { note: 'of the API key of the user' }),
      secret('oracle_private_key', 'oracle-private-key', { note: 'RSA in PEM; line breaks may be written as \\n' }),
      secret('oracle_key_passphrase', 'oracle-key-passphrase'),
      setting('oracle_api_version', 'oracle-api-version', { note: '20231130 when absent' }),
      setting('oracle_serving_mode', 'oracle-serving-mode', {
        note: 'ON_DEMAND (when absent), or DEDICATED: the model is an endpoint',
      }),
    ],
    requires: [
      ['oracle_region', 'custom_host'],
      ['oracle_compartment_id'],
      ['oracle_tenancy'],
      ['oracle_user'],
      ['oracle_fingerprint'],
    ],
    credentials: ['oracle_private_key'],
  },
  qdrant: { requires: [['custom_host']] },
  milvus: { requires: [['custom_host']] },
};

/** Providers that need only an API key. */
const PLAIN = [
  '302ai',
  'ai21',
  'aibadgr',
  'anyscale',
  'bytez',
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
  'palm',
  'perplexity-ai',
  'pinecone',
  'predibase',
  'recraft-ai',
  'reka-ai',
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

/** Names of OpenTelemetry that are not the id. Source: its semantic conventions for generative AI, `gen_ai.provider.name`. */
const GEN_AI_NAMES: Readonly<Record<string, string>> = {
  'azure-openai': 'azure.ai.openai',
  'azure-ai': 'azure.ai.inference',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  'mistral-ai': 'mistral_ai',
  'perplexity-ai': 'perplexity',
  'vertex-ai': 'gcp.vertex_ai',
  'x-ai': 'x_ai',
};

function withGenAiName(id: string): Pick<ProviderEntry, 'genAiName'> {
  const genAiName = GEN_AI_NAMES[id];
  return genAiName === undefined ? {} : { genAiName };
}

const toEntry = (id: string, row: Row): ProviderEntry => ({
  id,
  fields: row.fields ?? [],
  requires: row.requires ?? [],
  credentials: row.credentials ?? [API_KEY],
  ...(row.podIdentity === undefined ? {} : { podIdentity: row.podIdentity }),
  ...withGenAiName(id),
});

/** Every provider by its id. */
export const PROVIDER_CATALOGUE: ReadonlyMap<string, ProviderEntry> = new Map(
  [...Object.entries(SPECIAL).map(([id, row]) => toEntry(id, row)), ...PLAIN.map((id) => toEntry(id, {}))]
    .sort((a, b) => (a.id < b.id ? -1 : 1)) // localeCompare loads 2 MB of collation data
    .map((entry) => [entry.id, entry]),
);
