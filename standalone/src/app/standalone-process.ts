/** Reads resources, translates them, and serves the result with a gateway, or with one in each worker. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import {
  type BudgetStore,
  type BudgetUsage,
  createGateway,
  type Gateway,
  type GatewaySettings,
  type Logger,
  type LogStore,
  type ManagementAddress,
  type Variables,
} from '@gatehouse/gateway';
import { createSecretManagers } from '@gatehouse/operator/secret-managers';
import { type Management, type ManagementOptions, type PeopleDatabase, startManagement } from '../management/index.ts';
import {
  createResourceFolder,
  type FolderState,
  type ResourceFolder,
  stateOfResources,
} from '../resource-folder/index.ts';
import { createWorkerPool, forkWorker } from '../workers/index.ts';
import { withAdminKey } from './admin-key.ts';
import { type FolderFollower, followFolder } from './follow-folder.ts';
import { createProblemReport } from './problem-report.ts';

/** What is served: a folder and every edit in it, or resources that stay as they are. */
export type ResourceSource =
  | { readonly kind: 'folder'; readonly folder: string; readonly mockPorts?: readonly number[] }
  | { readonly kind: 'fixed'; readonly name: string; readonly resources: readonly object[] };

export interface StandaloneOptions {
  readonly source: ResourceSource;
  readonly settings: GatewaySettings;
  readonly variables: Variables;
  readonly logger: Logger;
  /** Hash of the organisation's admin key. */
  readonly adminSha256: string;
  /** Where people are; closed with the process. */
  readonly people?: PeopleDatabase;
  /** Keeps the request log where the settings leave that to the process; closed with it. */
  readonly logStore?: LogStore | undefined;
  /** Counters of budgets; absent: in memory. Closed with the process. */
  readonly budgetStore?: BudgetStore;
  /** The problems of the resources at the start are shown elsewhere than in the log. */
  readonly showsProblems?: boolean;
  /** Present: several worker processes serve. */
  readonly workers?: Workers;
}

export interface Workers {
  readonly count: number;
  /** Writes whole log lines of the workers. */
  writeLog(text: string): void;
}

export interface StandaloneProcess {
  readonly port: number;
  readonly adminPort: number;
  /** The state of the folder at the start. */
  readonly state: FolderState;
  /** Finishes requests in flight, then closes. */
  drain(): Promise<void>;
  /** Closes immediately. */
  close(): Promise<void>;
}

/** Starts a process and resolves once it serves. Rejects with the error of the system when a port cannot be opened. */
export async function startStandalone(options: StandaloneOptions): Promise<StandaloneProcess> {
  const { source, logger, adminSha256, people } = options;
  const name = source.kind === 'folder' ? source.folder : source.name;
  const report = createProblemReport(name, logger, options.showsProblems !== true);
  const { state, follow, folder, close: closeSource } = await openSource(source, options);
  let served = state.snapshot;
  let snapshot = withAdminKey(served, adminSha256);
  const management =
    folder &&
    (await serveManagement({
      ...{ root: name, folder, logger, people },
      snapshot: () => snapshot,
      budgets: () => server.budgets(),
    }));
  const server = createServer(options, { sourceStatus: report.status, management: management?.address });
  let version = 1;
  const serve = async (next: FolderState): Promise<void> => {
    report.note(next);
    if (next.snapshot === served) return;
    served = next.snapshot;
    snapshot = withAdminKey(served, adminSha256);
    version += 1;
    await server.load(version, snapshot);
    await management?.update();
  };
  const closeAll = async (end: () => Promise<void>): Promise<void> => {
    await end();
    await management?.close();
    await closeSource();
  };
  try {
    report.note(state);
    await server.load(version, snapshot);
    const ports = await server.listen();
    const following = follow(serve);
    const stop = async (end: () => Promise<void>): Promise<void> => {
      await following?.close();
      await closeAll(end);
    };
    return { ...ports, state, drain: () => stop(server.drain), close: () => stop(server.close) };
  } catch (error) {
    await closeAll(server.close);
    throw error;
  }
}

/** Without a place for its socket, such as on a read-only file system, the gateway serves all the same. */
function serveManagement(options: ManagementOptions): Promise<Management | undefined> {
  return startManagement(options).catch((error: unknown) => {
    options.logger.warn({ err: error }, 'Management API is not served: its socket cannot be opened');
    return undefined;
  });
}

interface OpenSource {
  readonly state: FolderState;
  readonly folder: ResourceFolder | undefined;
  close(): Promise<void>;
  /** Serves later states, too. */
  follow(serve: (state: FolderState) => Promise<void>): FolderFollower | undefined;
}

async function openSource(source: ResourceSource, options: StandaloneOptions): Promise<OpenSource> {
  const { settings, variables, logger } = options;
  const { caps } = settings;
  if (source.kind === 'fixed') {
    const state = stateOfResources(source.name, source.resources, { variables, caps });
    return { state, folder: undefined, follow: () => undefined, close: async () => {} };
  }
  const { folder: path, mockPorts } = source;
  const managers = createSecretManagers({
    variables,
    vaultTokenFile: variables['GATEHOUSE_VAULT_TOKEN_FILE'],
    ownNamespaces: [],
    log: logger,
  });
  const folder = createResourceFolder([path], { variables, caps, mockPorts, managers, now: () => performance.now() });
  const { state } = await folder.refresh();
  const closing = new AbortController();
  const fetching = managers.run(closing.signal);
  return {
    state,
    folder,
    follow: (serve) => followFolder({ folder, logger, onState: serve }, state),
    close: async () => {
      closing.abort();
      await fetching;
    },
  };
}

/** What serves Snapshots: this process, or its workers. */
interface Server extends Pick<Gateway, 'listen' | 'drain' | 'close'> {
  load(version: number, snapshot: Snapshot): Promise<unknown>;
  /** What budgets have used. */
  budgets(): Promise<readonly BudgetUsage[]>;
}

function createServer(
  { settings, variables, logger, workers, budgetStore, logStore }: StandaloneOptions,
  given: { readonly sourceStatus: () => object; readonly management: ManagementAddress | undefined },
): Server {
  const ports = { ...given, logStore, ...(budgetStore === undefined ? {} : { budgetStore }) };
  if (workers !== undefined) {
    const pool = createWorkerPool({ ...workers, ...ports, settings, logger, fork: forkWorker });
    return { ...pool, load: async (version, snapshot) => pool.load(version, snapshot), budgets: pool.usage };
  }
  const gateway = createGateway({ ...ports, settings, variables, logger, metricsOnMain: true });
  return { ...gateway, load: gateway.snapshots.load, budgets: async () => gateway.budgets.usage() };
}
