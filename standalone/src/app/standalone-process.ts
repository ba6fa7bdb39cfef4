/** One process: reads a folder of resources, translates it, and serves the result with a gateway. */
import { createGateway, type GatewaySettings, type Logger, type Variables } from '@gatehouse/gateway';
import { createResourceFolder, type FolderState } from '../resource-folder/index.ts';
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
  const gateway = createGateway({ settings, variables, logger, metricsOnMain: true, sourceStatus: report.status });
  let version = 0;
  let served: FolderState['snapshot'] | undefined;
  const serve = async (state: FolderState): Promise<void> => {
    report.note(state);
    if (state.snapshot === served) return;
    served = state.snapshot;
    version += 1;
    await gateway.snapshots.load(version, withAdminKey(state.snapshot, adminSha256));
  };
  try {
    const { state } = await folder.refresh();
    await serve(state);
    const ports = await gateway.listen();
    const following = followFolder({ folder, logger, onState: serve }, state);
    const stop = async (end: () => Promise<void>): Promise<void> => {
      await following.close();
      await end();
    };
    return { ...ports, state, drain: () => stop(gateway.drain), close: () => stop(gateway.close) };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}
