/** The database of a request log, for commands that work on it themselves. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogDatabase } from '@gatehouse/gateway';
import { createEmbedded } from '../database/index.ts';
import { lockFolder } from '../folder-lock/index.ts';
import { DATABASE_CA_PATH, DATABASE_URL } from '../variables.ts';
import type { Invocation, Option } from './command.ts';
import { readCertificates, settingsOf } from './preflight.ts';
import { CommandError } from './shell.ts';

export const DATA_OPTION: Option = {
  value: 'DIR',
  summary: 'the data folder of a standalone process that keeps its log there',
  default: '.gatehouse',
  completes: 'folders',
};

/** For the notes of a command. URLs have passwords, which other users of a machine see in command lines. */
export const DATABASE_NOTE =
  'The log is that of GATEHOUSE_LOGS_DATABASE_URL or GATEHOUSE_LOGS_CLICKHOUSE_URL, else of DATABASE_URL, else of the data folder, whose process has to be stopped.';

/** Gives the work the database, which is this process's alone where it is in a folder. Throws CommandError. */
export async function withLogDatabase<T>(
  { shell: { variables }, options: { data = '' } }: Pick<Invocation, 'shell' | 'options'>,
  run: (database: LogDatabase) => Promise<T>,
): Promise<T> {
  const { requestLog, ca } = settingsOf(variables);
  const named = requestLog?.database;
  if (named?.kind === 'clickhouse') return run({ clickHouse: { url: named.url.reveal(), ca } });
  if (named?.kind === 'postgres') return run({ url: named.url.reveal(), ca });
  const url = variables[DATABASE_URL]?.trim();
  if (url !== undefined && url !== '') return run({ url, ca: await readCertificates(variables, DATABASE_CA_PATH) });
  if (!existsSync(join(data, 'database')))
    throw new CommandError(
      `there is no request log: none of GATEHOUSE_LOGS_DATABASE_URL, GATEHOUSE_LOGS_CLICKHOUSE_URL and ${DATABASE_URL} is set, and ${data} has none`,
    );
  const lock = await lockFolder({ folder: data, advice: 'stop that process first' });
  if (!lock.ok) throw new CommandError(lock.error);
  try {
    return await run(createEmbedded(data).dialect);
  } finally {
    await lock.value.release();
  }
}
