/** A PostgreSQL that has pgvector, for tests: Debian 12 has no package of it. */
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@gatehouse/test/kit';
import { installPgvector, isOffered } from './install.ts';

const PROGRAMS = 'pgserver/pginstall/bin';

/** That of the machine where there is none for it, which may lack the extension. */
export async function startPgvector(): Promise<PostgresServer> {
  if (!isOffered || process.env['POSTGRES_PROGRAMS'] !== undefined) return startPostgres();
  const installed = await installPgvector();
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-pgvector-'));
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true });
  try {
    // The server's user cannot look into the home folder of root, where the cache is.
    await chmod(home, 0o755);
    await cp(installed, home, {
      recursive: true,
      filter: (path) => !/\/(?:include|tests?|__pycache__)(?:\/|$)/.test(path.slice(installed.length)),
    });
    const server = await startPostgres({ programs: join(home, PROGRAMS) });
    return {
      ...server,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
