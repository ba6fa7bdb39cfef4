/** Coding agents of the lane: how each is pointed at the gateway and given one task without a terminal. */

export interface AgentPlace {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
}

export interface AgentModel {
  readonly name: string;
  /** Where the provider is asked. */
  readonly path: RegExp;
}

export interface Agent {
  readonly title: string;
  /** In the registry; the version is that of the lock file. */
  readonly name: string;
  /** The name of its command. */
  readonly command: string;
  /** In its package, where the command itself needs a script of the installation. */
  readonly program?: string;
  /** How it is pointed at the gateway, as Markdown. */
  readonly variables: string;
  /** The provider's own API first. */
  readonly models: readonly AgentModel[];
  /** Its tool that reads a file, and the input of that. */
  readonly reads: { readonly tool: string; input(file: string): object };
  /** Files below the home folder that it needs, with their content. */
  files?(place: AgentPlace): Readonly<Record<string, string>>;
  args(prompt: string, model: string): readonly string[];
  env(place: AgentPlace, model: string): Readonly<Record<string, string>>;
}

const CHAT = /\/chat\/completions$/;
const MESSAGES = /\/messages$/;
const RESPONSES = /\/responses$/;
const GEMINI = /:streamGenerateContent$/;

const CODEX_PROVIDER = ({ url }: AgentPlace): string => `model_provider = "gatehouse"
web_search = "disabled"
check_for_update_on_startup = false

[model_providers.gatehouse]
name = "Gatehouse"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"

[analytics]
enabled = false
`;

export const AGENTS: readonly Agent[] = [
  {
    title: 'Claude Code',
    name: '@anthropic-ai/claude-code',
    command: 'claude',
    program: 'cli-wrapper.cjs',
    variables: '`ANTHROPIC_BASE_URL=http://HOST:8787`, `ANTHROPIC_API_KEY`, `ANTHROPIC_MODEL`',
    models: [
      { name: 'claude-sonnet-4-5', path: MESSAGES },
      { name: '@openai/gpt-4o-mini', path: CHAT },
      { name: '@google/gemini-2.5-flash', path: GEMINI },
    ],
    reads: { tool: 'Read', input: (file) => ({ file_path: file }) },
    args: (prompt) => ['-p', prompt],
    env: ({ url, key }, model) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', // updates, telemetry, reports
    }),
  },
  {
    title: 'Codex',
    name: '@openai/codex',
    command: 'codex',
    variables:
      '`GATEWAY_KEY`, and in `~/.codex/config.toml` a `model_providers` entry with `base_url = "http://HOST:8787/v1"`, ' +
      '`env_key = "GATEWAY_KEY"` and `wire_api = "responses"`; for other providers than OpenAI `web_search = "disabled"`',
    models: [
      { name: 'gpt-4o-mini', path: RESPONSES },
      { name: '@anthropic/claude-sonnet-4-5', path: MESSAGES },
      { name: '@google/gemini-2.5-flash', path: GEMINI },
    ],
    reads: { tool: 'exec_command', input: (file) => ({ cmd: `cat ${file}` }) },
    files: (place) => ({ '.codex/config.toml': CODEX_PROVIDER(place) }),
    // The sandbox of the agent needs rights that containers do not have, and its only command reads a file.
    args: (prompt, model) => [
      ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--model', model, prompt],
    ],
    env: ({ key }) => ({ GATEWAY_KEY: key }),
  },
  {
    title: 'Qwen Code',
    name: '@qwen-code/qwen-code',
    command: 'qwen',
    variables: '`OPENAI_BASE_URL=http://HOST:8787/v1`, `OPENAI_API_KEY`, `OPENAI_MODEL`',
    models: [
      { name: 'gpt-4o-mini', path: CHAT },
      { name: '@anthropic/claude-sonnet-4-5', path: MESSAGES },
    ],
    reads: { tool: 'read_file', input: (file) => ({ file_path: file }) },
    args: (prompt) => ['-p', prompt, '--auth-type', 'openai', '--approval-mode', 'default'],
    env: ({ url, key }, model) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }),
  },
  {
    title: 'Gemini CLI',
    name: '@google/gemini-cli',
    command: 'gemini',
    variables:
      '`GOOGLE_GEMINI_BASE_URL=http://HOST:8787/v1/proxy`, `GEMINI_API_KEY`, `GEMINI_CLI_CUSTOM_HEADERS=x-gw-provider:@google`',
    models: [{ name: 'gemini-2.5-flash', path: GEMINI }],
    reads: { tool: 'read_file', input: (file) => ({ file_path: file }) },
    files: () => ({
      '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
    args: (prompt, model) => ['-p', prompt, '--model', model],
    env: ({ url, key }) => ({
      GOOGLE_GEMINI_BASE_URL: `${url}/v1/proxy`,
      GEMINI_API_KEY: key,
      GEMINI_CLI_CUSTOM_HEADERS: 'x-gw-provider:@google',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
];
