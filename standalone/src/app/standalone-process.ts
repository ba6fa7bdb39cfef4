/** Reads a folder of resources, translates it, and serves the result with a gateway, or with one in each worker. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { createGateway, type Gateway, type GatewaySettings, type Logger, type Variables } from '@gatehouse/gateway';
import { createResourceFolder, type FolderState } from '../resource-folder/index.ts';
import { createWorkerPool, forkWorker } from '../workers/index.ts';
import { withAdminKey } from './admin-key.ts';
import { followFolder } from './follow-folder.ts';
import { createProblemReport } from './problem-report.ts';

export interface StandaloneOptions {
  /** The folder of resources. */
  readonly folder: string;
  readonly settings: GatewaySettings;
  readonly variables: Variables;
  readonly logger: Logger;
  /** Hash of the organisation's admin key. */
  readonly adminSha256: string;
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
  const { settings, variables, logger, adminSha256 } = options;
  const folder = createResourceFolder([options.folder], {
    variables,
    caps: settings.caps,
    now: () => performance.now(),
  });
  const report = createProblemReport(options.folder, logger);
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
    const { state } = await folder.refresh();
    await serve(state);
    const ports = await server.listen();
    const following = followFolder({ folder, logger, onState: serve }, state);
    const stop = async (end: () => Promise<void>): Promise<void> => {
      await following.close();
      await end();
    };
    return { ...ports, state, drain: () => stop(server.drain), close: () => stop(server.close) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** What serves Snapshots: this process, or its workers. */
interface Server extends Pick<Gateway, 'listen' | 'drain' | 'close'> {
  load(version: number, snapshot: Snapshot): Promise<unknown>;
}

function createServer({ settings, variables, logger, workers }: StandaloneOptions, sourceStatus: () => object): Server {
  if (workers !== undefined) {
    const pool = createWorkerPool({ ...workers, settings, logger, sourceStatus, fork: forkWorker });
    return { ...pool, load: async (version, snapshot) => pool.load(version, snapshot) };
  }
  const gateway = createGateway({ settings, variables, logger, metricsOnMain: true, sourceStatus });
  return { ...gateway, load: gateway.snapshots.load };
}
