/** PostgreSQL as WebAssembly in the data folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, type Database, type DatabaseOptions } from '@gatehouse/operator/management';
import type { Dialect } from 'kysely';
import { pgliteDialect } from './pglite-dialect.ts';
import { createPgliteEngine } from './pglite-engine.ts';

export interface Embedded {
  /** Of people; starts with the first call that needs it: about 4 seconds and 400 MB. */
  people(onAway: DatabaseOptions['onAway']): Database;
  /** For other tables beside theirs. */
  dialect(): Promise<Dialect>;
}

/** `folder` is the data folder, which this process has locked. */
export function createEmbedded(folder: string): Embedded {
  const path = join(folder, 'database');
  const engine = createPgliteEngine(path);
  const dialect = (): Promise<Dialect> => pgliteDialect(engine);
  return {
    people: (onAway) => createDatabase({ dialect, isSingle: true, exists: () => existsSync(path), onAway }),
    dialect,
  };
}
