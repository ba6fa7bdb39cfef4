import { TEAM, waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { sampleServices } from '../../providers/engine/testing.ts';
import type { WatchedGuardrails } from '../../record/index.ts';
import type { Prepared } from '../attempt/index.ts';
import { gateway } from '../attempt/testing.ts';
import { TargetGuards } from './target-guards.ts';
import { createGuardrailWatch } from './watch.ts';
import { type WatchOwner, WatchRoom } from './watch-room.ts';

const trace = { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined };
const monitor = { 'default.contains': { words: ['hello'], operator: 'none' }, deny: true, mode: 'monitor' };
const OF_REQUEST: WatchOwner = { workspace: TEAM, chosenBy: 'request' };
const CONFIG = { provider: '@first', input_guardrails: [monitor], output_guardrails: [monitor] };

/** The guards of a call that was answered. */
async function answered(config: object = CONFIG) {
  let prepared: Prepared | undefined;
  const { ask } = gateway({
    inputChecks: [
      (call) => {
        prepared = call;
        if (call.guards !== undefined) call.guards.prepared = call;
        return { kind: 'pass' };
      },
    ],
  });
  await ask(config);
  if (prepared?.guards === undefined) throw new Error('the target has no hooks');
  return prepared.guards;
}

function watch({ limit = 1_000_000, places = 8 } = {}) {
  const ended: WatchedGuardrails[] = [];
  const dropped: WatchOwner[] = [];
  const budget = createByteBudget(limit);
  const ports = {
    servicesFor: () => sampleServices(),
    openMemory: () => budget.open(),
    regexTurn: async () => undefined, // checks pause when the machine is slow
    json: DEFAULT_JSON_LIMITS,
    maxHeldBytes: 1,
    now: () => 0,
    random: () => 0,
  };
  const onEnd = (watched: WatchedGuardrails): void => void ended.push(watched);
  const onDropped = (owner: WatchOwner): void => void dropped.push(owner);
  const room = new WatchRoom({ process: places, workspace: places });
  const running = createGuardrailWatch({ ports, onEnd, onDropped, room });
  return { running, ended, budget, dropped };
}

/** Hooks give back what they held at their end: a check that has run for long goes on in a later turn. */
const settled = ({ budget }: Pick<ReturnType<typeof watch>, 'budget'>) =>
  waitFor(() => budget.used === 0, { what: 'the end of all hooks' });

describe('hooks after the answer', () => {
  test('tell what they came to, and give back what they held', async () => {
    const { running, ended, budget } = watch();
    running.start(await answered(), trace);
    expect(budget.used).toBeGreaterThan(0);
    await settled({ budget });
    const input = { phase: 'input', verdict: false, mode: 'monitor', denied: true };
    const output = { phase: 'output', verdict: true, mode: 'monitor', denied: false };
    expect(ended).toMatchObject([{ trace, guardrails: [input, output] }]);
    expect(budget.used).toBe(0);
  });

  test('of a config see nothing of an answer that is withheld', async () => {
    const { running, ended, budget } = watch();
    const denying = { 'default.endsWith': { suffix: 'never' }, deny: true };
    running.start(await answered({ ...CONFIG, output_guardrails: [denying, monitor] }), trace);
    await settled({ budget });
    expect(ended).toMatchObject([{ guardrails: [{ phase: 'input' }] }]);
    expect(ended[0]?.guardrails).toHaveLength(1);
  });

  test('are left out beyond their number, and counted', async () => {
    const { running, ended, budget, dropped } = watch({ places: 2 });
    const guards = await answered();
    for (let i = 0; i < 3; i += 1) running.start(guards, trace);
    await settled({ budget });
    expect([ended.length, dropped]).toEqual([1, [OF_REQUEST, OF_REQUEST]]);
    running.start(guards, trace);
    await settled({ budget });
    expect([ended.length, dropped.length]).toEqual([2, 2]);
  });

  test('run where they apply by default, beyond the number of those that requests choose', async () => {
    const { running, ended, budget, dropped } = watch({ places: 2 });
    const guards = await answered();
    const { hooks, trail, target, prepared } = guards;
    const [own] = hooks.watchedInput;
    if (own === undefined) throw new Error('no hook');
    const company = { ...own, id: 'company', owner: 'organisation' as const };
    const both = { ...hooks, watchedInput: [own, company], watchedOutput: [] };
    const mixed = Object.assign(new TargetGuards({ hooks: both, trail, target }), { prepared });
    running.start(guards, trace);
    running.start(mixed, trace);
    await settled({ budget });
    const ran = ended.map(({ guardrails }) => guardrails.map(({ id }) => id).join(' '));
    expect(ran.toSorted()).toEqual(['company', 'input_guardrail_1 output_guardrail_1']);
    expect(dropped).toEqual([OF_REQUEST]);
  });

  test('are left out without memory', async () => {
    const { running, ended, budget, dropped } = watch({ limit: 1 });
    running.start(await answered(), trace);
    await settled({ budget });
    expect([ended.length, dropped, budget.used]).toEqual([0, [OF_REQUEST], 0]);
  });

  test('say nothing when the gateway ends', async () => {
    const { running, ended, budget } = watch();
    running.start(await answered(), trace);
    running.close();
    await settled({ budget });
    expect([ended.length, budget.used]).toEqual([0, 0]);
  });
});
