/** Reads resources, translates them, and serves the result with a gateway, or with one in each worker. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import {
  type BudgetStore,
  createGateway,
  type Gateway,
  type GatewaySettings,
  type Logger,
  type Variables,
} from '@gatehouse/gateway';
import { createResourceFolder, type FolderState, stateOfResources } from '../resource-folder/index.ts';
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
  const { source, logger, adminSha256 } = options;
  const name = source.kind === 'folder' ? source.folder : source.name;
  const report = createProblemReport(name, logger, options.showsProblems !== true);
  const server = createServer(options, report.status);
  let version = 0;
  let served: FolderState['snapshot'] | undefined;
  const serve = async (state: FolderState): Promise<void> => {
    report.note(state);
    if (state.snapshot === served) return;
    served = state.snapshot;
    version += 1;
    await server.load(version, withAdminKey(state.snapshot, adminSha256));
  };
  try {
    const { state, follow } = await openSource(source, options);
    await serve(state);
    const ports = await server.listen();
    const following = follow(serve);
    const stop = async (end: () => Promise<void>): Promise<void> => {
      await following?.close();
      await end();
    };
    return { ...ports, state, drain: () => stop(server.drain), close: () => stop(server.close) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

interface OpenSource {
  readonly state: FolderState;
  /** Serves later states, too. */
  follow(serve: (state: FolderState) => Promise<void>): FolderFollower | undefined;
}

async function openSource(source: ResourceSource, options: StandaloneOptions): Promise<OpenSource> {
  const { settings, variables, logger } = options;
  const { caps } = settings;
  if (source.kind === 'fixed') {
    return { state: stateOfResources(source.name, source.resources, { variables, caps }), follow: () => undefined };
  }
  const { folder: path, mockPorts } = source;
  const folder = createResourceFolder([path], { variables, caps, mockPorts, now: () => performance.now() });
  const { state } = await folder.refresh();
  return { state, follow: (serve) => followFolder({ folder, logger, onState: serve }, state) };
}

/** What serves Snapshots: this process, or its workers. */
interface Server extends Pick<Gateway, 'listen' | 'drain' | 'close'> {
  load(version: number, snapshot: Snapshot): Promise<unknown>;
}

function createServer(
  { settings, variables, logger, workers, budgetStore }: StandaloneOptions,
  sourceStatus: () => object,
): Server {
  const ports = { sourceStatus, ...(budgetStore === undefined ? {} : { budgetStore }) };
  if (workers !== undefined) {
    const pool = createWorkerPool({ ...workers, ...ports, settings, logger, fork: forkWorker });
    return { ...pool, load: async (version, snapshot) => pool.load(version, snapshot) };
  }
  const gateway = createGateway({ ...ports, settings, variables, logger, metricsOnMain: true });
  return { ...gateway, load: gateway.snapshots.load };
}
