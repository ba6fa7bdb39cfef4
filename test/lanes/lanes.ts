/** The lanes of the test command: what each proves, which tools of the machine it needs, and how it runs. */

export interface Tool {
  readonly name: string;
  /** Answers with exit code 0 when the tool is there. */
  readonly probe: readonly [command: string, ...args: string[]];
  /** How to get it on Debian. */
  readonly install: string;
}

export interface Lane {
  readonly name: string;
  readonly proves: string;
  readonly tools: readonly Tool[];
  /** `vitest`: a project of vitest.config.ts. `command`: counts as one test. */
  readonly run:
    | { readonly kind: 'vitest'; readonly project: string }
    | { readonly kind: 'command'; readonly command: readonly string[] };
}

const REDIS: Tool = {
  name: 'redis-server',
  probe: ['redis-server', '--version'],
  install: 'apt-get install redis-server',
};

const npm = (script: string) => ({ kind: 'command', command: ['npm', 'run', '-s', script] }) as const;
const vitest = (project: string) => ({ kind: 'vitest', project }) as const;

export const LANES: readonly Lane[] = [
  { name: 'generated', proves: 'what is generated is what is committed', tools: [], run: npm('gen:check') },
  { name: 'format', proves: 'the code is formatted', tools: [], run: npm('format') },
  { name: 'lint', proves: 'rules, sizes and import directions hold', tools: [], run: npm('lint') },
  { name: 'types', proves: 'the types hold', tools: [], run: npm('types') },
  { name: 'unit', proves: 'decisions, codecs and compile functions', tools: [], run: vitest('unit') },
  { name: 'docs', proves: 'examples and documents are true', tools: [], run: vitest('docs') },
  {
    name: 'conformance',
    proves: 'every implementation of a port behaves the same',
    tools: [],
    run: vitest('conformance'),
  },
  {
    name: 'integration',
    proves: 'the gateway over real sockets with real SDKs',
    tools: [],
    run: vitest('integration'),
  },
  {
    name: 'redis',
    proves: 'shared state in a real Redis, its loss and return included',
    tools: [REDIS],
    run: vitest('redis'),
  },
];
