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
  /** Its tests start our programs as processes. */
  readonly programs?: true;
  /** Not beside another lane: its deadlines need the machine. */
  readonly alone?: true;
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

const POSTGRES: Tool = {
  name: 'postgresql',
  probe: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/initdb || initdb --version'],
  install: 'apt-get install postgresql',
};

const PYTHON: Tool = {
  name: 'python3 with venv',
  probe: ['python3', '-c', 'import ensurepip, venv'],
  install: 'apt-get install python3-venv',
};

const PGVECTOR: readonly Tool[] = [
  PYTHON,
  {
    name: 'a PostgreSQL with pgvector',
    probe: ['node', '--conditions=@gatehouse/source', 'test/pgvector/main.ts'],
    install: 'connect to a registry: pip installs it',
  },
];

const CHROMIUM: Tool = {
  name: 'chromium',
  probe: ['chromium', '--version'],
  install: 'apt-get install chromium',
};

const CLUSTER = ['node', '--conditions=@gatehouse/source', 'test/cluster/main.ts', 'check'] as const;
const CONTROL_PLANE: readonly Tool[] = [
  {
    name: 'the control plane',
    probe: [...CLUSTER, '--tier', '1'],
    install: 'install Go 1.26 or newer to build it, or set KUBEBUILDER_ASSETS',
  },
  { name: 'openssl', probe: ['openssl', 'version'], install: 'apt-get install openssl' },
];
const NODES: readonly Tool[] = [
  { name: 'runc', probe: ['runc', '--version'], install: 'apt-get install runc' },
  {
    name: 'a CNI plugin',
    probe: ['ls', '/usr/lib/cni/bridge'],
    install: 'apt-get install containernetworking-plugins',
  },
  { name: 'ip', probe: ['ip', '-V'], install: 'apt-get install iproute2' },
  { name: 'nsenter', probe: ['nsenter', '--version'], install: 'apt-get install util-linux' },
  { name: 'iptables', probe: ['iptables', '--version'], install: 'apt-get install iptables' },
  { name: 'conntrack', probe: ['conntrack', '--version'], install: 'apt-get install conntrack' },
  { name: 'a machine for nodes', probe: [...CLUSTER, '--tier', '2'], install: 'run as root on Debian' },
];

/** Builds the controller of Flux, and downloads its definitions. */
const GO: Tool = { name: 'go', probe: ['go', 'version'], install: 'install Go 1.26.3 or newer' };

const CHART: readonly Tool[] = [
  GO,
  { name: 'git', probe: ['git', '--version'], install: 'apt-get install git' },
  REDIS,
  { name: 'lua5.1', probe: ['lua5.1', '-v'], install: 'apt-get install lua5.1' },
  { name: 'promtool', probe: ['promtool', '--version'], install: 'apt-get install prometheus' },
];

const CLIENTS: readonly Tool[] = [
  PYTHON,
  {
    name: 'the clients',
    probe: ['node', '--conditions=@gatehouse/source', 'test/clients/main.ts', 'check'],
    install: 'connect to a registry: npm and pip install them on the first run',
  },
];

const CLICKHOUSE: readonly Tool[] = [
  PYTHON,
  {
    name: 'the engine of ClickHouse',
    probe: ['node', '--conditions=@gatehouse/source', 'test/clickhouse/main.ts', 'check'],
    install: 'connect to a registry: pip installs it on the first run',
  },
];

const npm = (script: string) => ({ kind: 'command', command: ['npm', 'run', '-s', script] }) as const;
const vitest = (project: string) => ({ kind: 'vitest', project }) as const;

/** Of those that run beside others, the longest first: none of them is left for the end. */
export const LANES: readonly Lane[] = [
  {
    name: 'integration',
    proves: 'the gateway over real sockets with real SDKs',
    tools: [],
    programs: true,
    run: vitest('integration'),
  },
  {
    name: 'clients',
    proves: 'official SDKs and coding agents work unmodified, and answers are those of the OpenAPI document',
    tools: [...CLIENTS, ...CONTROL_PLANE, POSTGRES],
    programs: true,
    run: vitest('clients'),
  },
  {
    name: 'commands',
    proves: 'commands of documents and of help do what they say',
    tools: [],
    programs: true,
    run: vitest('commands'),
  },
  {
    name: 'postgres',
    proves: 'people and audit in a real PostgreSQL, its loss and return included',
    tools: [POSTGRES, ...PGVECTOR],
    programs: true,
    run: vitest('postgres'),
  },
  {
    name: 'conformance',
    proves: 'every implementation of a port behaves the same',
    tools: [],
    programs: true,
    run: vitest('conformance'),
  },
  { name: 'unit', proves: 'decisions, codecs and compile functions', tools: [], run: vitest('unit') },
  {
    name: 'clickhouse',
    proves: 'the request log in the engine of ClickHouse, its loss and return included',
    tools: CLICKHOUSE,
    programs: true,
    run: vitest('clickhouse'),
  },
  {
    name: 'fuzz',
    proves: 'malformed requests, bodies and upstream answers neither crash nor stall the gateway',
    tools: [],
    run: vitest('fuzz'),
  },
  {
    name: 'redis',
    proves: 'shared state in a real Redis, its loss and return included',
    tools: [REDIS],
    programs: true,
    run: vitest('redis'),
  },
  { name: 'types', proves: 'the types hold', tools: [], run: npm('types') },
  { name: 'docs', proves: 'examples and documents are true', tools: [], run: vitest('docs') },
  { name: 'lint', proves: 'rules, sizes and import directions hold', tools: [], run: npm('lint') },
  { name: 'generated', proves: 'what is generated is what is committed', tools: [], run: npm('gen:check') },
  {
    name: 'browser',
    proves: 'pages of other origins use the gateway with unmodified SDKs in a real browser',
    tools: [CHROMIUM],
    run: vitest('browser'),
  },
  { name: 'format', proves: 'the code is formatted', tools: [], run: npm('format') },
  {
    name: 'cluster',
    proves: 'resources, permissions, controllers and the management API at a real API server, beside Flux, too',
    tools: [...CONTROL_PLANE, GO, POSTGRES],
    alone: true,
    programs: true,
    run: vitest('cluster'),
  },
  {
    name: 'security',
    proves: 'known attacks on the gateway and on the operator fail',
    tools: CONTROL_PLANE,
    alone: true,
    programs: true,
    run: vitest('security'),
  },
  {
    name: 'chaos',
    proves: 'the status holds through crashes, restored backups and a failing API server',
    tools: CONTROL_PLANE,
    alone: true,
    programs: true,
    run: vitest('chaos'),
  },
  {
    name: 'chart',
    proves: 'charts, kustomizations, Argo CD, Flux, alert rules and dashboard',
    tools: [...CONTROL_PLANE, ...CHART],
    alone: true,
    programs: true,
    run: vitest('chart'),
  },
  {
    name: 'nodes',
    proves: 'real pods on real nodes',
    tools: [...CONTROL_PLANE, ...NODES],
    alone: true,
    run: vitest('cluster-nodes'),
  },
  {
    name: 'e2e',
    proves:
      'installed from the charts, Gatehouse serves through edits, rollouts and outages, and leaves nothing behind',
    tools: [...CONTROL_PLANE, ...NODES],
    alone: true,
    run: vitest('e2e'),
  },
];
