/** A leader that is killed at each write of a publish: before the API server gets it, and after, without its answer. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { Fault, ProxiedRequest } from '../kit/fault-proxy.ts';
import { endLease } from '../operator/operator/support.ts';
import { startMonitor } from './monitor.ts';
import { APP_KEY, type ChaosWorld, numberOf, startChaosWorld } from './world.ts';

/** Never forwarded while the test runs. */
const BEFORE: Fault = { kind: 'delay', ms: 600_000 };
const AFTER: Fault = { kind: 'cut', afterBytes: 0 };

const isPublishing = ({ stage: { fleets } }: ChaosWorld, { method, target }: ProxiedRequest): boolean =>
  method !== 'GET' && new RegExp(`^/api/v1/namespaces/${fleets}/(configmaps|secrets)`).test(target);

/**
 * Ends every operator, and its lease, with the given write of what follows; returns that write, or undefined when there were fewer
 * writes.
 */
async function killAtWrite(world: ChaosWorld, step: number, fault: Fault): Promise<string | undefined> {
  let writes = 0;
  let struck: string | undefined;
  let ended: Promise<unknown> | undefined;
  world.proxy.inject((request) => {
    if (struck !== undefined || !isPublishing(world, request)) return false;
    writes += 1;
    if (writes < step) return false;
    struck = `${request.method} ${request.target.split('?')[0]?.split('/').at(-2)}`;
    ended = Promise.all(world.operators.map((operator) => operator.kill())).then(() => endLease(world.stage));
    return true;
  }, fault);
  await world.edit();
  await waitFor(async () => (await servedEverywhere(world)) || undefined, {
    what: `edit ${world.edited} after a crash at write ${step}`,
  });
  await ended;
  return struck;
}

async function servedEverywhere(world: ChaosWorld): Promise<boolean> {
  const answers = await Promise.all([...world.pods].map((pod) => pod.ask(APP_KEY)));
  return answers.every((answer) => numberOf(answer) === world.edited);
}

test.each([
  ['before it is done', BEFORE],
  ['after it is done, unanswered', AFTER],
])(
  'a leader killed at each write of a publish, %s, costs neither an edit nor the truth',
  async (_, fault) => {
    await using world = await startChaosWorld({ operators: 1 });
    await using monitor = startMonitor(world);
    const steps: string[] = [];
    for (let step = 1; ; step += 1) {
      const struck = await killAtWrite(world, step, fault);
      if (struck === undefined) break;
      steps.push(struck);
    }
    expect(steps.length, steps.join(', ')).toBeGreaterThanOrEqual(3);
    expect(monitor.claims).toEqual([]);
  },
  600_000,
);
