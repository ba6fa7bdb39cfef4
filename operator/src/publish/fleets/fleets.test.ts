import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { PublishTarget } from './ports.ts';
import type { ProgrammedState } from './programmed.ts';

import { asked, type Row, stage, target, translated } from './testing.ts';

test('a fleet is published to once its published content has been read', async () => {
  await using given = stage();
  const other = target({ key: 'fleets/other', identity: { namespace: 'fleets', name: 'other', uid: 'u2' } });
  given.fleets.publish([target(), other], { ...translated(0), unreadFleets: new Set(['fleets/main']) });
  await waitFor(() => given.version('other') === 1);
  expect(given.version()).toBe(0);
  given.fleets.publish([target(), other], { ...translated(1), unreadFleets: new Set() });
  await waitFor(() => given.version() === 1);
});

describe('what a workspace owns', () => {
  test('is programmed when every ready pod serves its translation, and not before', async () => {
    await using given = stage();
    const { fleets, answer } = given;
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'False', reason: 'NoFleet' });
    fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'Unknown', reason: 'NoReadyPods' });
    answer({});
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'Unknown', reason: 'Pending' });
    expect(fleets.programmedStateOf(asked(0, true)).message).toContain('fleets/main');
    answer({ version: 1 });
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'True', reason: 'Programmed' });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'Unknown' });
    expect(fleets.countsOf('fleets/main')).toMatchObject({ version: 1, programmed: 1, lagging: [] });
    expect(given.propagated).toEqual([]);

    fleets.publish([target()], translated(1));
    await waitFor(() => given.version() === 2);
    answer({ version: 2 });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'True' });
    expect(given.propagated).toHaveLength(1);
    expect(given.rearrangements()).toBe(1);
  });

  test.for([
    { rule: 'an older content under a later version', row: { version: 9, digest: 'digest-1' } },
    { rule: 'an unknown content under the very version', row: { version: 2, digest: 'restored' } },
    { rule: 'a version and no digest', row: { version: 2, digest: undefined } },
  ])('is not programmed while a pod reports $rule', async ({ row }) => {
    await using given = stage();
    const { fleets } = given;
    for (const sequence of [0, 1]) {
      fleets.publish([target()], translated(sequence));
      await waitFor(() => given.version() === sequence + 1);
    }
    given.answer(row);
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'Unknown' });
    expect(fleets.countsOf('fleets/main')).toMatchObject({ programmed: 0, lagging: [{ name: 'pod' }] });
  });

  test('is not programmed for waiting objects when a pod returns to an older version', async () => {
    await using given = stage();
    const { fleets } = given;
    for (const sequence of [0, 1]) {
      fleets.publish([target()], translated(sequence));
      await waitFor(() => given.version() === sequence + 1);
    }
    given.answer({ version: 2 });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'True' });
    given.answer({ version: 1 });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'Unknown' });
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'True' });
  });

  test('comes in a new epoch where a pod reports more than was published, and that is programmed', async () => {
    await using given = stage();
    const { fleets } = given;
    fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    given.answer({ version: 41, digest: 'lost' });
    await waitFor(() => given.version() === 42);
    await waitFor(() => fleets.countsOf('fleets/main')?.epoch === 1);
    given.answer({ epoch: 1, version: 42 });
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'True' });
    expect(fleets.countsOf('fleets/main')).toMatchObject({ epoch: 1, version: 42, programmed: 1, lagging: [] });
  });

  test('starts few epochs, whatever a pod reports', async () => {
    await using given = stage();
    given.fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    for (let i = 1; i <= 50; i += 1) {
      given.answer({ version: given.version() + 10, digest: 'lie' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(given.epochs()).toBeGreaterThan(0);
    expect(given.epochs()).toBeLessThanOrEqual(2);
  });

  test('has no counts until every pod was polled', async () => {
    await using given = stage();
    given.answer({ version: 1 });
    given.askLater();
    given.fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    expect(given.fleets.countsOf('fleets/main')).toBeUndefined();
    given.answer({ version: 1 });
    expect(given.fleets.countsOf('fleets/main')).toMatchObject({ programmed: 1 });
  });

  test('says that a pod refuses it, and why', async () => {
    await using given = stage();
    given.fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    given.answer({ rejected: { epoch: 0, version: 1, reason: 'too new' } });
    expect(given.fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'False', reason: 'Rejected' });
    expect(given.fleets.countsOf('fleets/main')?.lagging).toMatchObject([{ name: 'pod', reason: 'Rejected' }]);
  });

  test('is rejected while no shard can hold it, and only then', async () => {
    await using given = stage();
    const { fleets } = given;
    given.tooLarge('config/team/main', 'credential/team/VirtualKey:local', 'nothing we know');
    fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    const unserved = [['GatewayConfig/team/main', 'VirtualKey/team/local']];
    expect(given.unserved).toEqual(unserved);
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'False', reason: 'Rejected' });
    expect(fleets.programmedStateOf(asked(1)).reason).not.toBe('Rejected');
    expect(fleets.programmedStateOf({ ...asked(0), origin: 'GatewayConfig/team/other' }).reason).not.toBe('Rejected');
    expect(fleets.countsOf('fleets/main')?.rejected).toMatchObject([
      { entry: 'config/team/main', reason: 'TooLarge' },
      { entry: 'credential/team/VirtualKey:local', reason: 'TooLarge' },
    ]);
    fleets.publish([target()], translated(1));
    await waitFor(() => given.version() === 2);
    expect(given.unserved).toEqual(unserved);
    given.tooLarge();
    fleets.publish([target()], translated(2));
    await waitFor(() => given.version() === 3);
    given.answer({ version: 3 });
    expect(given.unserved).toEqual([...unserved, ...unserved]);
    expect(fleets.programmedStateOf(asked(2))).toMatchObject({ status: 'True' });
    expect(fleets.countsOf('fleets/main')?.rejected).toEqual([]);
  });

  test('is rejected while a pod that serves it cannot use it', async () => {
    await using given = stage();
    const { fleets } = given;
    fleets.publish([target()], translated(0));
    await waitFor(() => given.version() === 1);
    const skipped = [{ id: 'config/team/main', reason: 'unknown strategy' }];
    given.answer({ version: 1, skipped });
    expect(fleets.programmedStateOf(asked(0))).toMatchObject({ status: 'False', reason: 'Rejected' });
    expect(fleets.programmedStateOf(asked(-1)).message).toContain('unknown strategy');
    expect(fleets.countsOf('fleets/main')?.rejected).toMatchObject([{ reason: 'Unusable' }]);

    fleets.publish([target()], translated(1));
    await waitFor(() => given.version() === 2);
    given.answer({ version: 1, skipped });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'Unknown', reason: 'Pending' });
    given.answer({ version: 2 });
    expect(fleets.programmedStateOf(asked(1))).toMatchObject({ status: 'True' });
    expect(given.unserved).toEqual([['GatewayConfig/team/main'], ['GatewayConfig/team/main']]);
  });

  test.for<{
    rule: string;
    other: Partial<PublishTarget>;
    answers: Readonly<Record<string, Row>>;
    want: Partial<ProgrammedState>;
    names?: string;
  }>([
    {
      rule: 'is programmed while another fleet has no ready pod, since those it gets will serve it',
      other: {},
      answers: { main: { version: 1 } },
      want: { status: 'True', reason: 'Programmed' },
    },
    {
      rule: 'waits for the fleet that has pods',
      other: {},
      answers: { main: {} },
      want: { status: 'Unknown', reason: 'Pending' },
      names: 'fleets/main',
    },
    {
      rule: 'waits for a pod of either fleet',
      other: {},
      answers: { main: { version: 1 }, idle: {} },
      want: { status: 'Unknown', reason: 'Pending' },
      names: 'fleets/idle',
    },
    {
      rule: 'is not programmed where no fleet has a ready pod',
      other: {},
      answers: {},
      want: { status: 'Unknown', reason: 'NoReadyPods' },
    },
    {
      rule: 'is programmed beside a suspended fleet without ready pods, which may never load it',
      other: { suspended: true },
      answers: { main: { version: 1 } },
      want: { status: 'True', reason: 'Programmed' },
    },
    {
      rule: 'is not programmed where a suspended fleet has no ready pod and no other fleet serves it',
      other: { suspended: true },
      answers: {},
      want: { status: 'Unknown', reason: 'NoReadyPods' },
      names: 'fleets/idle has no ready pod and is suspended',
    },
    {
      rule: 'waits for a suspended fleet that has ready pods',
      other: { suspended: true },
      answers: { main: { version: 1 }, idle: {} },
      want: { status: 'Unknown', reason: 'Pending' },
      names: 'fleets/idle is suspended',
    },
    {
      rule: 'does not wait for a refused fleet',
      other: { refused: true },
      answers: { main: { version: 1 } },
      want: { status: 'True', reason: 'Programmed' },
    },
  ])('$rule', async ({ other, answers, want, names = '' }) => {
    await using given = stage();
    const idle = target({ key: 'fleets/idle', identity: { namespace: 'fleets', name: 'idle', uid: 'u2' }, ...other });
    given.fleets.publish([idle, target()], translated(0));
    const isTold = idle.suspended || idle.refused ? 0 : 1;
    await waitFor(() => given.version() === 1 && given.version('idle') === isTold);
    for (const [name, row] of Object.entries(answers)) given.answer(row, name);
    const programmed = given.fleets.programmedStateOf(asked(0, true));
    expect(programmed).toMatchObject(want);
    expect(programmed.message).toContain(names);
  });

  test('has no fleet where all are refused, until one becomes valid', async () => {
    await using given = stage();
    given.fleets.publish([target({ refused: true })], translated(0));
    expect(given.fleets.programmedStateOf(asked(0))).toMatchObject({
      status: 'False',
      reason: 'NoFleet',
      message: expect.stringContaining('fleets/main'),
    });
    await waitFor(() => given.rearrangements() === 1);
    given.fleets.publish([target()], translated(1));
    await waitFor(() => given.rearrangements() === 2);
    expect(given.fleets.programmedStateOf(asked(0)).reason).not.toBe('NoFleet');
  });

  test('is published after a conflict, too, and never while the fleet is suspended', async () => {
    await using given = stage();
    given.fleets.publish([target({ suspended: true })], translated(0));
    given.refuse(1);
    given.fleets.publish([target({ suspended: true })], translated(1));
    expect(given.version()).toBe(0);
    given.fleets.publish([target()], translated(2));
    await waitFor(() => given.version() === 1);
  });

  test.for([
    {
      rule: 'is the business of a fleet that serves it',
      over: { served: new Set(['team']) },
      workspace: 'team',
      want: true,
    },
    { rule: 'is not that of another one', over: { served: new Set(['other']) }, workspace: 'team', want: false },
    {
      rule: "waits for no fleet of a tenant when it is the organisation's",
      over: { owner: 'workspace', served: new Set(['team']) },
      workspace: null,
      want: false,
    },
    {
      rule: 'is not published to a fleet without an owner',
      over: { owner: undefined, served: new Set<string>() },
      workspace: 'team',
      want: false,
    },
  ] as const)('$rule', async ({ over, workspace, want }) => {
    await using given = stage();
    given.fleets.publish([target(over)], translated(0));
    const { reason } = given.fleets.programmedStateOf({ ...asked(-1), workspace });
    expect(reason).toBe(want ? 'Programmed' : 'NoFleet');
  });
});
