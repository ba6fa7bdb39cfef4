import { createHash } from 'node:crypto';
import { createLogger, readEnvironment, toSettings } from '@gatehouse/gateway';
import { startStandalone } from '../app/index.ts';
import type { PeopleDatabase } from '../management/index.ts';

export interface TestProcess extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` of the main listener. */
  readonly url: string;
  readonly adminUrl: string;
  /** Log lines so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export const ADMIN_KEY = 'gwk_admin_of_tests';

/** A standalone process on free ports, in this process. */
export async function startTestProcess(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
  people?: PeopleDatabase,
): Promise<TestProcess> {
  const environment = {
    HOST: '127.0.0.1',
    PORT: '0',
    GATEHOUSE_ADMIN_PORT: '0',
    ENABLE_PROMETHEUS: 'false',
    ...variables,
  };
  const log: Record<string, unknown>[] = [];
  const running = await startStandalone({
    source: { kind: 'folder', folder },
    settings: toSettings(readEnvironment(environment)),
    variables: environment,
    logger: createLogger({
      level: 'info',
      service: 'test',
      destination: { write: (line) => log.push(JSON.parse(line)) },
    }),
    adminSha256: createHash('sha256').update(ADMIN_KEY).digest('hex'),
    ...(people === undefined ? {} : { people }),
  });
  return {
    url: `http://127.0.0.1:${running.port}`,
    adminUrl: `http://127.0.0.1:${running.adminPort}`,
    log,
    close: running.close,
    [Symbol.asyncDispose]: running.close,
  };
}
