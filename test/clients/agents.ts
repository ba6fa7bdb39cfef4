/** Coding agents of the lane: how each is pointed at the gateway and asked one question without a terminal. */

export interface AgentPlace {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
}

export interface Agent {
  readonly title: string;
  /** In the registry; the version is that of the lock file. */
  readonly name: string;
  /** The name of its command. */
  readonly command: string;
  /** How it is pointed at the gateway, as Markdown. */
  readonly variables: string;
  /** Files below the home folder that it needs, with their content. */
  readonly files?: Readonly<Record<string, string>>;
  args(prompt: string): readonly string[];
  env(place: AgentPlace): Readonly<Record<string, string>>;
}

export const AGENTS: readonly Agent[] = [
  {
    title: 'Qwen Code',
    name: '@qwen-code/qwen-code',
    command: 'qwen',
    variables: '`OPENAI_BASE_URL=http://HOST:8787/v1`, `OPENAI_API_KEY`, `OPENAI_MODEL`',
    args: (prompt) => ['-p', prompt, '--auth-type', 'openai', '--approval-mode', 'default'],
    env: ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: 'gpt-4o-mini' }),
  },
  {
    title: 'Gemini CLI',
    name: '@google/gemini-cli',
    command: 'gemini',
    variables:
      '`GOOGLE_GEMINI_BASE_URL=http://HOST:8787/v1/proxy`, `GEMINI_API_KEY`, `GEMINI_CLI_CUSTOM_HEADERS=x-gw-provider:@google`',
    files: { '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }) },
    args: (prompt) => ['-p', prompt, '--model', 'gemini-2.5-flash'],
    env: ({ url, key }) => ({
      GOOGLE_GEMINI_BASE_URL: `${url}/v1/proxy`,
      GEMINI_API_KEY: key,
      GEMINI_CLI_CUSTOM_HEADERS: 'x-gw-provider:@google',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
];
