import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedded } from '../../../standalone/src/database/index.ts';
import { describeDatabase } from './suite.ts';

describeDatabase('the data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-database-'));
  return {
    open: (onAway = () => undefined) => createEmbedded(folder).people(onAway),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
});
