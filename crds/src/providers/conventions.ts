/**
 * The environment variables from which the SDKs of providers read their credentials. Sources: the SDKs' own documentation.
 * Addresses for SDKs (`OPENAI_BASE_URL` …) are left out: clients of a gateway set them to the gateway.
 */
import { API_KEY } from './catalogue.ts';

export interface Convention {
  /** Variables by the field of a target; of several the first one that is set counts. */
  readonly variables: Readonly<Record<string, readonly string[]>>;
  /** How the value of a field is made of its variable, where it is not the same; undefined: it says nothing. */
  readonly read?: Readonly<Record<string, (text: string) => string | undefined>>;
  /** The fields without which there is no account; the others are optional. */
  readonly needs: readonly string[];
  /** A model for a first chat request; absent: the provider has no chat, or its models depend on the account. */
  readonly model?: string;
  /** The provider defines this API, and clients of it name no provider. */
  readonly defines?: 'chat completions' | 'messages';
}

const apiKey = (variables: readonly string[], model?: string): Convention => ({
  variables: { [API_KEY]: variables },
  needs: [API_KEY],
  ...(model === undefined ? {} : { model }),
});

const AZURE_ENDPOINT = /^https:\/\/([a-z0-9-]+)\.openai\.azure\.com\/?$/i;

/** `HOST`, `HOST:PORT` or a URL, as https://docs.ollama.com/faq says; the address on which a server listens is one, too. */
function ollamaUrl(text: string): string | undefined {
  const isUrl = /^https?:\/\//i.test(text);
  const url = URL.parse(isUrl ? text : `http://${text}`);
  if (url === null) return undefined;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (!isUrl && url.port === '') url.port = '11434';
  return url.origin;
}

/** By the id of the provider; the order is that in which they are shown. */
export const CONVENTIONS: ReadonlyMap<string, Convention> = new Map<string, Convention>([
  [
    'openai',
    {
      variables: {
        [API_KEY]: ['OPENAI_API_KEY'],
        openai_organization: ['OPENAI_ORG_ID'],
        openai_project: ['OPENAI_PROJECT_ID'],
      },
      needs: [API_KEY],
      model: 'gpt-4o-mini',
      defines: 'chat completions',
    },
  ],
  ['anthropic', { ...apiKey(['ANTHROPIC_API_KEY'], 'claude-haiku-5-5'), defines: 'messages' }],
  ['google', apiKey(['GOOGLE_API_KEY', 'GEMINI_API_KEY'], 'gemini-2.5-flash')],
  ['mistral-ai', apiKey(['MISTRAL_API_KEY'], 'mistral-small-latest')],
  ['groq', apiKey(['GROQ_API_KEY'], 'llama-3.1-8b-instant')],
  ['cohere', apiKey(['CO_API_KEY', 'COHERE_API_KEY'], 'command-r-08-2024')],
  ['deepseek', apiKey(['DEEPSEEK_API_KEY'], 'deepseek-chat')],
  ['x-ai', apiKey(['XAI_API_KEY'], 'grok-3-mini')],
  ['openrouter', apiKey(['OPENROUTER_API_KEY'], 'openrouter/auto')],
  ['together-ai', apiKey(['TOGETHER_API_KEY'], 'meta-llama/Llama-3.3-70B-Instruct-Turbo')],
  ['perplexity-ai', apiKey(['PERPLEXITY_API_KEY', 'PPLX_API_KEY'], 'sonar')],
  ['ai21', apiKey(['AI21_API_KEY'], 'jamba-mini')],
  ['cerebras', apiKey(['CEREBRAS_API_KEY'], 'llama3.1-8b')],
  ['dashscope', apiKey(['DASHSCOPE_API_KEY'], 'qwen-turbo')],
  ['deepinfra', apiKey(['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'], 'meta-llama/Llama-3.3-70B-Instruct')],
  ['featherless-ai', apiKey(['FEATHERLESS_API_KEY'], 'mistralai/Magistral-Small-2506')],
  ['fireworks-ai', apiKey(['FIREWORKS_API_KEY'], 'accounts/fireworks/models/llama-v3p1-8b-instruct')],
  ['huggingface', apiKey(['HF_TOKEN'])],
  ['hyperbolic', apiKey(['HYPERBOLIC_API_KEY'], 'meta-llama/Llama-3.3-70B-Instruct')],
  ['jina', apiKey(['JINA_API_KEY'])],
  ['moonshot', apiKey(['MOONSHOT_API_KEY'], 'moonshot-v1-8k')],
  ['nebius', apiKey(['NEBIUS_API_KEY'], 'meta-llama/Llama-3.3-70B-Instruct')],
  ['nomic', apiKey(['NOMIC_API_KEY'])],
  ['novita-ai', apiKey(['NOVITA_API_KEY'], 'meta-llama/llama-3.3-70b-instruct')],
  ['pinecone', apiKey(['PINECONE_API_KEY'])],
  ['replicate', apiKey(['REPLICATE_API_TOKEN'])],
  ['reka-ai', apiKey(['REKA_API_KEY'], 'reka-flash')],
  ['stability-ai', apiKey(['STABILITY_API_KEY'])],
  ['sambanova', apiKey(['SAMBANOVA_API_KEY'], 'Meta-Llama-3.3-70B-Instruct')],
  ['siliconflow', apiKey(['SILICONFLOW_API_KEY'], 'Qwen/Qwen2.5-7B-Instruct')],
  ['upstage', apiKey(['UPSTAGE_API_KEY'], 'solar-mini')],
  ['voyage', apiKey(['VOYAGE_API_KEY'])],
  ['z-ai', apiKey(['ZAI_API_KEY'], 'glm-4.5-flash')],
  ['zhipu', apiKey(['ZHIPUAI_API_KEY'], 'glm-4-flash')],
  [
    'azure-openai',
    {
      variables: {
        [API_KEY]: ['AZURE_OPENAI_API_KEY'],
        resource_name: ['AZURE_OPENAI_ENDPOINT'],
        deployment_id: ['AZURE_OPENAI_DEPLOYMENT', 'AZURE_OPENAI_DEPLOYMENT_NAME'],
        api_version: ['OPENAI_API_VERSION'],
      },
      read: { resource_name: (text) => AZURE_ENDPOINT.exec(text)?.[1] },
      needs: [API_KEY, 'resource_name', 'deployment_id'],
    },
  ],
  [
    'bedrock',
    {
      variables: {
        aws_access_key_id: ['AWS_ACCESS_KEY_ID'],
        aws_secret_access_key: ['AWS_SECRET_ACCESS_KEY'],
        aws_session_token: ['AWS_SESSION_TOKEN'],
        aws_region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      },
      needs: ['aws_access_key_id', 'aws_secret_access_key'],
    },
  ],
  ['ollama', { variables: { custom_host: ['OLLAMA_HOST'] }, read: { custom_host: ollamaUrl }, needs: ['custom_host'] }],
]);
