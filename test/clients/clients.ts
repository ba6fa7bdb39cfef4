/** The clients of the lane: what each is, how it is pointed at the gateway, and what its program checks. */

import type { Collection } from './versions.ts';

export const CHECKS = [
  'unary',
  'stream',
  'tools',
  'across',
  'embeddings',
  'rerank',
  'models',
  'files',
  'moderations',
  'images',
  'audio',
  'error 401',
  'error 400',
  'error 404',
  'error 429',
  'cancel',
] as const;
export type Check = (typeof CHECKS)[number];

export interface Client {
  readonly title: string;
  readonly language: 'javascript' | 'python';
  /** Where its packages are installed; as a rule that of the language. */
  readonly collection?: Collection;
  /** In the folder of the language. */
  readonly program: string;
  /** Names in the registry; the versions are those of the lock file. */
  readonly packages: readonly [string, ...string[]];
  /** How it is pointed at the gateway, as Markdown. */
  readonly settings: string;
  /** What it can do of what is checked; its program does exactly these. */
  readonly checks: readonly Check[];
}

const without = (...left: readonly Check[]): readonly Check[] => CHECKS.filter((check) => !left.includes(check));

/** What the programs of the SDKs of OpenAI alone check. */
const WITHOUT_MEDIA = without('rerank', 'moderations', 'images', 'audio');
const withoutMedia = (...left: readonly Check[]): readonly Check[] =>
  WITHOUT_MEDIA.filter((check) => !left.includes(check));

const OPENAI_SETTINGS = 'base URL `http://HOST:8787/v1`';
const AZURE_SETTINGS = 'endpoint `http://HOST:8787`';
const ANTHROPIC_SETTINGS = 'base URL `http://HOST:8787`';
const GOOGLE_SETTINGS = 'base URL `http://HOST:8787/v1/proxy`, header `x-gw-provider: @google`';
const DOOR_SETTINGS = 'base URL `http://HOST:8787`';
const OLLAMA_SETTINGS = 'host `http://HOST:8787`, header `authorization`';
const PORTKEY_SETTINGS = `${OPENAI_SETTINGS}; the gateway has \`GATEHOUSE_HEADER_ALIASES=x-portkey-\``;

export const CLIENTS: readonly Client[] = [
  {
    title: 'OpenAI',
    language: 'javascript',
    program: 'openai.mjs',
    packages: ['openai'],
    settings: OPENAI_SETTINGS,
    checks: without('across', 'rerank'),
  },
  {
    title: 'Azure OpenAI',
    language: 'javascript',
    program: 'azure.mjs',
    packages: ['openai'],
    settings: AZURE_SETTINGS,
    checks: without('across', 'rerank'),
  },
  {
    title: 'Anthropic',
    language: 'javascript',
    program: 'anthropic.mjs',
    packages: ['@anthropic-ai/sdk'],
    settings: ANTHROPIC_SETTINGS,
    checks: withoutMedia('embeddings'),
  },
  {
    title: 'Google Gen AI',
    language: 'javascript',
    program: 'google.mjs',
    packages: ['@google/genai'],
    settings: GOOGLE_SETTINGS,
    checks: withoutMedia('across', 'files'), // of the address to upload to, it replaces the host alone: a base URL with a path does not work
  },
  {
    title: 'Google Gen AI, any provider',
    language: 'javascript',
    program: 'google-door.mjs',
    packages: ['@google/genai'],
    settings: DOOR_SETTINGS,
    checks: withoutMedia('across', 'files'),
  },
  {
    title: 'Vercel AI SDK',
    language: 'javascript',
    program: 'vercel.mjs',
    packages: ['ai', '@ai-sdk/openai', '@ai-sdk/anthropic'],
    settings: OPENAI_SETTINGS,
    checks: withoutMedia('across', 'models', 'files'),
  },
  {
    title: 'LangChain',
    language: 'javascript',
    program: 'langchain.mjs',
    packages: ['@langchain/core', '@langchain/openai', '@langchain/anthropic'],
    settings: `as the SDKs of OpenAI and Anthropic`,
    checks: withoutMedia('across', 'models', 'files'),
  },
  {
    title: 'Portkey',
    language: 'javascript',
    program: 'portkey.mjs',
    packages: ['portkey-ai'],
    settings: PORTKEY_SETTINGS,
    checks: withoutMedia('across'),
  },
  {
    title: 'Ollama',
    language: 'javascript',
    program: 'ollama.mjs',
    packages: ['ollama'],
    settings: OLLAMA_SETTINGS,
    checks: withoutMedia('across', 'files'),
  },
  {
    title: 'Cohere',
    language: 'javascript',
    program: 'cohere.mjs',
    packages: ['cohere-ai'],
    settings: 'environment `http://HOST:8787`',
    checks: withoutMedia('models', 'files').concat('rerank'),
  },
  {
    title: 'OpenAI',
    language: 'python',
    program: 'openai_client.py',
    packages: ['openai'],
    settings: OPENAI_SETTINGS,
    checks: without('across', 'rerank'),
  },
  {
    title: 'Azure OpenAI',
    language: 'python',
    program: 'azure_client.py',
    packages: ['openai'],
    settings: AZURE_SETTINGS,
    checks: without('across', 'rerank'),
  },
  {
    title: 'Anthropic',
    language: 'python',
    program: 'anthropic_client.py',
    packages: ['anthropic'],
    settings: ANTHROPIC_SETTINGS,
    checks: withoutMedia('embeddings'),
  },
  {
    title: 'Google Gen AI',
    language: 'python',
    program: 'google_client.py',
    packages: ['google-genai'],
    settings: GOOGLE_SETTINGS,
    checks: withoutMedia('across'),
  },
  {
    title: 'Google Gen AI, any provider',
    language: 'python',
    program: 'google_door_client.py',
    packages: ['google-genai'],
    settings: DOOR_SETTINGS,
    checks: withoutMedia('across', 'files'),
  },
  {
    title: 'LangChain',
    language: 'python',
    program: 'langchain_client.py',
    packages: ['langchain-core', 'langchain-openai', 'langchain-anthropic'],
    settings: 'as the SDKs of OpenAI and Anthropic',
    checks: withoutMedia('models', 'files'),
  },
  {
    title: 'Ollama',
    language: 'python',
    program: 'ollama_client.py',
    packages: ['ollama'],
    settings: OLLAMA_SETTINGS,
    checks: withoutMedia('across', 'files'),
  },
  {
    title: 'Cohere',
    language: 'python',
    program: 'cohere_client.py',
    packages: ['cohere'],
    settings: DOOR_SETTINGS,
    checks: withoutMedia('models', 'files').concat('rerank'),
  },
  {
    title: 'LiteLLM',
    language: 'python',
    collection: 'litellm',
    program: 'litellm_client.py',
    packages: ['litellm'],
    settings: 'models `openai/…` and `anthropic/…`, `api_base` as for these SDKs',
    checks: withoutMedia('across', 'models', 'files'),
  },
  {
    title: 'LlamaIndex',
    language: 'python',
    collection: 'llamaindex',
    program: 'llamaindex_client.py',
    packages: [
      'llama-index-core',
      'llama-index-llms-openai',
      'llama-index-llms-openai-like',
      'llama-index-llms-anthropic',
      'llama-index-embeddings-openai',
    ],
    settings:
      'as the SDKs of OpenAI and Anthropic; models of other providers by `OpenAILike` or the header `x-gw-provider`',
    checks: withoutMedia('models', 'files'),
  },
  {
    title: 'Pydantic AI',
    language: 'python',
    collection: 'pydanticai',
    program: 'pydantic_ai_client.py',
    packages: ['pydantic-ai-slim'],
    settings: 'as the SDKs of OpenAI, of Anthropic, and of Google for any provider',
    checks: withoutMedia('models', 'files'),
  },
  {
    title: 'Instructor',
    language: 'python',
    collection: 'instructor',
    program: 'instructor_client.py',
    packages: ['instructor'],
    settings: 'as the SDKs of OpenAI and Anthropic',
    checks: withoutMedia('embeddings', 'models', 'files'),
  },
  {
    title: 'Portkey',
    language: 'python',
    program: 'portkey_client.py',
    packages: ['portkey-ai'],
    settings: PORTKEY_SETTINGS,
    checks: withoutMedia('across'),
  },
];

export const collectionOf = ({ language, collection = language }: Client): Collection => collection;
