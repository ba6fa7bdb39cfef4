/** The bundles of images use PostgreSQL: packages that they require are those for CommonJS. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { bundleFile } from '../../../images/bundle.ts';
import { capture } from '../../../scripts/machine/index.ts';

const STORE = new URL('../../../gateway/src/store/index.ts', import.meta.url).pathname;

/** As stores open it. */
const PROGRAM = `
import { createDatabase, postgresDialect } from ${JSON.stringify(STORE)};
const database = createDatabase({
  dialect: postgresDialect({ url: process.env.DATABASE }), schema: 'bundled', migrations: [], lock: 1,
});
const { rows } = await database.use(({ queries, sql }) => sql\`select 'found' as answer\`.execute(queries));
console.log(rows[0].answer);
await database.close();
`;

test('a bundle opens a database', async () => {
  await using server = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bundle-'));
  try {
    const entry = join(folder, 'entry.ts');
    await writeFile(entry, PROGRAM);
    const file = join(folder, 'bundle.mjs');
    await bundleFile(entry, file);
    const env = { PATH: process.env['PATH'], DATABASE: await server.database() };
    const { stdout, stderr } = await capture([process.execPath, file], { env });
    expect(stdout.trim(), stderr).toBe('found');
  } finally {
    await rm(folder, { recursive: true });
  }
});
