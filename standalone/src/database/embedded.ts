/** PostgreSQL as WebAssembly in the data folder. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, type Database, type DatabaseOptions } from '@gatehouse/operator/management';

export interface EmbeddedOptions {
  /** The data folder, which this process has locked. */
  readonly folder: string;
  readonly onAway: DatabaseOptions['onAway'];
}

/** Starts with the first call that needs it: about 4 seconds and 400 MB. */
export function createEmbeddedDatabase({ folder, onAway }: EmbeddedOptions): Database {
  const path = join(folder, 'database');
  return createDatabase({
    dialect: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const [{ PGlite }, { PGliteDialect }] = await Promise.all([import('@electric-sql/pglite'), import('kysely')]);
      return new PGliteDialect({ pglite: await PGlite.create(path) });
    },
    isSingle: true,
    exists: () => existsSync(path),
    onAway,
  });
}
