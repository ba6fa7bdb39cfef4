/** Followed batches of a gateway with a folder, which is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFollowedKills } from './suites/followed-kills.ts';

describeFollowedKills(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-followed-'));
  const env = { GATEHOUSE_BATCH_DIR: folder };
  return { env, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
});
