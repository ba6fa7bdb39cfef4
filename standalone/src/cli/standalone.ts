import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ok, type Result } from '@gatehouse/crds';
import {
  createLogger,
  type GatewaySettings,
  readEnvironment,
  requestLogOfProcess,
  type Variables,
} from '@gatehouse/gateway';
import {
  type AdminKey,
  loadAdminKey,
  type ResourceSource,
  type StandaloneProcess,
  startStandalone,
  storeAdminKey,
} from '../app/index.ts';
import { openBudgetFile } from '../budget-file/index.ts';
import { openDatabases } from '../database/index.ts';
import { type FoundProviders, findProviders, MOCKED, toResources } from '../environment-resources/index.ts';
import { lockFolder } from '../folder-lock/index.ts';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import { ADMIN_KEY, DATABASE_URL, LOGS } from '../variables.ts';
import { type Command, type Invocation, portOf } from './command.ts';
import { LOG_OPTIONS, type LogChoice, logChoiceOf, openLog, withLog } from './log-output.ts';
import { checkFolder, settingsOf, throwListenError } from './preflight.ts';
import { CommandError, type Shell, STOP_CODES, UsageError } from './shell.ts';
import { welcome } from './welcome.ts';
import { welcomeWithoutFolder } from './welcome-without-folder.ts';

type Options = Invocation['options'];

/** Serves a folder of resources and every edit in it, or the providers of the environment. */
export const standalone: Command = {
  name: 'standalone',
  summary: 'serves a folder of resources, or the providers of the environment',
  options: {
    resources: {
      value: 'DIR',
      summary: 'the folder of resources; edits are served at once. Absent: providers whose key is in a variable',
      completes: 'folders',
    },
    port: { value: 'PORT', summary: 'main listener (PORT, else 8787)' },
    host: { value: 'ADDRESS', summary: 'address of the listeners (HOST, else 127.0.0.1)' },
    'admin-port': { value: 'PORT', summary: 'metrics, probes and status (GATEHOUSE_ADMIN_PORT, else 8789)' },
    data: {
      value: 'DIR',
      summary: 'folder for state that is kept across restarts',
      default: '.gatehouse',
      completes: 'folders',
    },
    workers: { value: 'N', summary: 'processes that serve behind one port, 1 to 64; auto: one per core', default: '1' },
    logs: {
      summary: `keeps a request log in the data folder (${LOGS}=on): about 400 MB of memory; with ${DATABASE_URL} it is kept anyway`,
    },
    'mock-provider': { value: 'PORT', summary: 'also starts a mock provider on this port' },
    'example-key': { value: 'KEY', summary: 'prints an example request with this gateway key of the folder' },
    ...LOG_OPTIONS,
  },
  notes: ['At a terminal the log has a line per request; elsewhere it is JSON. NO_COLOR=1 leaves colours out.'],
  examples: [
    {
      purpose: 'without a folder: the providers whose key is in a variable, else a mock provider',
      line: 'gatehouse standalone',
    },
    {
      purpose: 'the examples, with a mock provider',
      line: 'gatehouse standalone --resources examples --mock-provider 8790',
    },
    {
      purpose: 'several processes behind one port, and a log of warnings',
      line: 'gatehouse standalone --resources examples --workers 2 --quiet',
    },
  ],
  async run({ shell, options }) {
    const { resources, data = '' } = options;
    if (resources === undefined && options['example-key'] !== undefined) {
      throw new UsageError('--example-key takes a key of the folder that --resources names');
    }
    const log = logChoiceOf(options, shell);
    const settings = withLog(adapt(settingsOf(shell.variables), options, shell), log);
    const workers = workersOf(options['workers'] ?? '');
    if (resources !== undefined) await checkFolder(resources);
    const lock = unwrap(await lockFolder({ folder: data }));
    try {
      await serve({ shell, options, log, settings, workers });
    } finally {
      await lock.release();
    }
    return 0;
  },
};

/** Until it is stopped. */
async function serve({ shell, options, log, settings, workers }: Chosen): Promise<void> {
  const { resources, data = '' } = options;
  const admin = unwrap(await loadAdminKey(data, shell.variables[ADMIN_KEY]));
  const providers = findProviders(shell.variables, shell.variables[ADMIN_KEY]);
  const mock = await startMock(options, providers);
  try {
    const source = sourceOf(resources, providers, mock);
    const process = await start({
      source,
      settings,
      workers,
      admin,
      data,
      shell,
      log,
      keepsLogs: keepsLogsIn(options, shell),
    });
    const { host = LOOPBACK, adminHost = host } = settings.listen;
    const started = { process, host, adminHost, mockUrl: mock?.url, adminKey: admin.fresh };
    if (resources === undefined) {
      const isKeyGiven = (shell.variables[ADMIN_KEY] ?? '').trim() !== '';
      shell.err(welcomeWithoutFolder({ ...started, providers, data, isKeyGiven }));
    } else {
      shell.err(welcome({ ...started, resources, exampleKey: options['example-key'] }));
    }
    await untilStopped(shell, process);
  } finally {
    await mock?.close();
  }
}

interface Chosen extends Pick<Start, 'shell' | 'log' | 'settings' | 'workers'> {
  readonly options: Options;
}

const LOOPBACK = '127.0.0.1';

/** Where documents and examples start the mock provider. */
const MOCK_PORT = 8790;

/** A folder, or what the variables of the environment are for; the mock provider stands in where there are none. */
function sourceOf(
  folder: string | undefined,
  { found }: FoundProviders,
  mock: MockProvider | undefined,
): ResourceSource {
  if (folder !== undefined) {
    const ports = mock === undefined ? [] : [Number(new URL(mock.url).port)];
    return { kind: 'folder', folder, mockPorts: [MOCK_PORT, ...ports] };
  }
  const resources =
    found.length > 0 || mock === undefined ? toResources(found) : toResources(MOCKED, { mockUrl: mock.url });
  return { kind: 'fixed', name: 'the environment', resources };
}

interface Start {
  readonly source: ResourceSource;
  readonly settings: GatewaySettings;
  readonly workers: number;
  readonly admin: AdminKey;
  readonly data: string;
  readonly shell: Shell;
  readonly log: LogChoice;
  readonly keepsLogs: boolean;
}

/** Starts the process, and stores a new admin key only after that: a stored key has always been shown. */
async function start({
  source,
  settings,
  workers,
  admin,
  data,
  shell,
  log,
  keepsLogs,
}: Start): Promise<StandaloneProcess> {
  const output = openLog(log, settings, shell);
  const logger = createLogger({ level: settings.logLevel, service: settings.serviceName, destination: output });
  const { variables } = shell;
  const databases = unwrap(openDatabases({ folder: data, variables, logger, settings, keepsLogs }));
  const process = await startStandalone({
    source,
    settings: databases.logs === undefined ? settings : withRequestLog(settings, shell.variables),
    variables: shell.variables,
    logger,
    adminSha256: admin.sha256,
    people: databases.people,
    logStore: databases.logs,
    budgetStore: unwrap(await openBudgetFile({ folder: data, logger })),
    showsProblems: log.isText && source.kind === 'folder',
    ...(workers === 1 ? {} : { workers: { count: workers, writeLog: (text) => output.write(text) } }),
  }).catch(throwListenError);
  shell.onFault((error) => logger.error({ err: error }, 'Error was not caught'));
  const kept = admin.fresh === undefined ? ok(undefined) : await storeAdminKey(data, admin);
  if (kept.ok) return process;
  await process.close();
  throw new CommandError(kept.error);
}

/** Throws CommandError for a value that is none. */
function keepsLogsIn(options: Options, { variables }: Shell): boolean {
  const value = variables[LOGS]?.trim() ?? '';
  if (!['', 'on', 'off'].includes(value)) throw new CommandError(`${LOGS}: expected on or off`);
  return options['logs'] !== undefined || value === 'on';
}

/** Where the variables name no database of the request log, that of the process has it. */
const withRequestLog = (settings: GatewaySettings, variables: Variables): GatewaySettings => ({
  ...settings,
  requestLog: settings.requestLog ?? requestLogOfProcess(readEnvironment(variables)),
});

function unwrap<T>(result: Result<T, string>): T {
  if (result.ok) return result.value;
  throw new CommandError(result.error);
}

/** Options of the command line take precedence over the environment. */
function adapt(settings: GatewaySettings, options: Options, { variables, interactive }: Shell): GatewaySettings {
  const { port, host, 'admin-port': adminPort, data = '' } = options;
  const isSet = (name: string): boolean => (variables[name] ?? '') !== '';
  return {
    ...settings,
    listen: {
      ...settings.listen,
      host: host ?? settings.listen.host ?? LOOPBACK,
      port: port === undefined ? settings.listen.port : portOf('port', port),
      adminPort: adminPort === undefined ? settings.listen.adminPort : portOf('admin-port', adminPort),
    },
    batches: { ...settings.batches, folder: settings.batches.folder ?? join(data, 'batches') },
    // No load balancer stands before a process at a terminal.
    drain: interactive && !isSet('GATEHOUSE_DRAIN_ACCEPT_MS') ? { ...settings.drain, acceptMs: 0 } : settings.drain,
  };
}

const MAX_WORKERS = 64;

/** The number of processes that serve. Throws UsageError. */
export function workersOf(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const count = Number(text);
  if (/^[1-9]\d?$/.test(text) && count <= MAX_WORKERS) return count;
  throw new UsageError(`--workers takes a number from 1 to ${MAX_WORKERS} or auto, not "${text}"`);
}

/** Starts the mock provider where it is asked for, or where there is nothing else to serve: then on a free port. */
async function startMock(options: Options, { found }: FoundProviders): Promise<MockProvider | undefined> {
  const isNeeded = options['resources'] === undefined && found.length === 0;
  const port = options['mock-provider'] ?? (isNeeded ? '0' : undefined);
  if (port === undefined) return undefined;
  return createMockProvider({ port: portOf('mock-provider', port) }).catch(throwListenError);
}

/** Wrappers such as npm forward a signal that the terminal has also sent: within this time, in ms, it is the same signal. */
const SAME_SIGNAL_MS = 300;

/** The first signal drains, the second ends the process immediately. */
async function untilStopped(shell: Shell, process: StandaloneProcess): Promise<void> {
  let firstMs: number | undefined;
  await new Promise<void>((resolve, reject) => {
    shell.onStop((signal) => {
      if (firstMs !== undefined) {
        if (performance.now() - firstMs > SAME_SIGNAL_MS) shell.exit(STOP_CODES[signal]);
        return;
      }
      firstMs = performance.now();
      shell.err('Finishing the requests in flight; a second signal ends them');
      process.drain().then(resolve, reject);
    });
  });
}
