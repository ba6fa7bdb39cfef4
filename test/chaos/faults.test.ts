/**
 * A hundred random faults: whatever happens, `Programmed=True` holds for every gateway, and in the end the last edit is served and no
 * deleted key works. The seed is printed; CHAOS_SEED repeats a run, as far as the order of events can be repeated.
 */
import { randomBytes } from 'node:crypto';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createMutator } from '../fuzz/mutate.ts';
import { takeBackup } from './backups.ts';
import { type Chance, FAULTS, type Fault, type Run } from './faults.ts';
import { startMonitor } from './monitor.ts';
import { APP_KEY, configNow, numberOf, startChaosWorld } from './world.ts';

const SEED = process.env['CHAOS_SEED'] ?? randomBytes(4).toString('hex');
const STRIKES = 100;
/** Between two faults; every tenth waits until the last edit is served. */
const MAX_PAUSE_MS = 300;
const SETTLE_EVERY = 10;

function pickFault(chance: Chance): Fault {
  const total = FAULTS.reduce((sum, { weight }) => sum + weight, 0);
  let left = chance.integer(total);
  for (const fault of FAULTS) {
    left -= fault.weight;
    if (left < 0) return fault;
  }
  throw new Error('The weights do not add up');
}

/** Every gateway serves the last edit, and the status shows it. */
async function isSettled({ world }: Run): Promise<boolean> {
  const config = await configNow(world);
  if (config?.asked !== world.edited || !config.isProgrammed) return false;
  const answers = await Promise.all([...world.pods].map((pod) => pod.ask(APP_KEY)));
  return answers.every((answer) => numberOf(answer) === world.edited);
}

test('through a hundred faults the status claims nothing that a gateway does not serve', async () => {
  console.log(`CHAOS_SEED=${SEED}`);
  const chance: Chance = createMutator({ seed: SEED, dictionary: [], donors: [] });
  await using world = await startChaosWorld();
  const run: Run = { world, chance, backups: [await takeBackup(world)], revoked: [] };
  const struck: string[] = [];
  await using monitor = startMonitor(world);
  const context = (): string => `CHAOS_SEED=${SEED}, after: ${struck.slice(-SETTLE_EVERY).join(', ')}`;
  for (let strike = 1; strike <= STRIKES; strike += 1) {
    const fault = pickFault(chance);
    struck.push(fault.name);
    await fault.strike(run);
    if (strike % SETTLE_EVERY === 0) {
      await waitFor(() => isSettled(run), {
        what: `edit ${world.edited} everywhere, ${context()}`,
      });
      run.backups.push(await takeBackup(world));
    } else {
      const until = performance.now() + chance.integer(MAX_PAUSE_MS);
      await waitFor(() => performance.now() > until);
    }
    expect(monitor.claims, context()).toEqual([]);
  }
  expect(monitor.comparisons).toBeGreaterThan(STRIKES);
  for (const key of run.revoked) {
    for (const pod of world.pods) {
      await waitFor(async () => (await pod.ask(key)) === 401, {
        what: `a deleted key refused, ${context()}`,
      });
    }
  }
}, 900_000);
