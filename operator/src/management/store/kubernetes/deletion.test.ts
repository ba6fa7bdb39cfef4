/** Deletions that the webhook refuses because the operator has not read yet that the users of the object are gone. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../../../runtime/index.ts';
import { translate } from '../../../translate/index.ts';
import { type TestObject, worldOf } from '../../../translate/test-world.ts';
import type { CustomObject } from '../../../world/index.ts';
import type { DeleteOptions } from '../port.ts';
import { deleteObject, type WriteParts } from './writes.ts';

const PLACE = { kind: 'VirtualKey', namespace: 'a', name: 'used' } as const;
const USED: CustomObject = {
  ...{ apiVersion: 'gatehouse.dev/v1alpha1', kind: PLACE.kind },
  metadata: { name: PLACE.name, namespace: PLACE.namespace, uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { provider: 'ollama', customHost: 'http://ollama:11434' },
};
const USER: TestObject = {
  kind: 'GatewayConfig',
  metadata: { name: 'user', namespace: 'a', generation: 1 },
  spec: { config: { provider: '@used' } },
};
const WORKSPACE: TestObject = { kind: 'Workspace', metadata: { name: 'a', generation: 1 }, spec: { namespace: 'a' } };

const refusal = new ApiError({
  ...{ status: 409, reason: 'Conflict', message: 'refused' },
  causes: [{ reason: 'ObjectInUse', message: 'is used by GatewayConfig/a/user', field: '' }],
});

interface Given {
  readonly known?: readonly TestObject[];
  readonly refusals: number;
  /** Since something was changed that the operator may not have read. */
  readonly msSinceChange: number;
}

/** A store that knows the objects, before an API server that refuses so often. */
function setup({ known, refusals, msSinceChange }: Given) {
  const world = known && worldOf([WORKSPACE, USED as TestObject, ...known]);
  const now = world && { world, translation: translate(world) };
  let left = refusals;
  const send = vi.fn(async () => {
    left -= 1;
    if (left >= 0) throw refusal;
  });
  const client = { get: async () => USED, delete: send } as unknown as WriteParts['client'];
  const followed = { untilRead: async () => {}, [Symbol.dispose]: () => undefined };
  const objects = { get: () => undefined, list: () => [], find: () => undefined, follow: () => followed };
  const parts: WriteParts = {
    client,
    objects: { ...objects, msSinceChange: () => msSinceChange },
    secrets: { write: vi.fn(), adopt: vi.fn(), empty: vi.fn() },
    view: { translatedWorld: () => now, isTerminating: () => false },
    parse: { caps: DEFAULT_TARGET_CAPS },
    signal: new AbortController().signal,
  };
  const run = (how?: Partial<DeleteOptions>) => deleteObject(parts, PLACE, { force: false, ...how });
  return { send, run };
}

const IN_USE = { ok: false, error: { kind: 'in-use', users: ['GatewayConfig/a/user'] } };

test('wait for the operator after a change that it may not have read', async () => {
  const { run, send } = setup({ refusals: 3, msSinceChange: 1 });
  expect(await run()).toEqual({ ok: true, value: undefined });
  expect(send).toHaveBeenCalledTimes(4);
});

test('are refused in the end where the operator goes on to know a user', async () => {
  const { run, send } = setup({ refusals: Number.POSITIVE_INFINITY, msSinceChange: 4_500 });
  expect(await run()).toEqual(IN_USE);
  expect(send.mock.calls.length).toBeGreaterThan(1);
});

test('are refused at once, and not sent, where the store knows a user', async () => {
  const { run, send } = setup({ known: [USER], refusals: 0, msSinceChange: 1 });
  expect(await run()).toEqual(IN_USE);
  expect(send).not.toHaveBeenCalled();
});

test('are refused at once where nothing has changed for long', async () => {
  const { run, send } = setup({ refusals: 1, msSinceChange: Number.POSITIVE_INFINITY });
  expect(await run()).toEqual(IN_USE);
  expect(send).toHaveBeenCalledTimes(1);
});

test.for([
  { rule: 'not wait for users that are expected', name: 'user', calls: 1 },
  { rule: 'wait where there are others', name: 'other', calls: 2 },
])('do $rule', async ({ name, calls }) => {
  const { run, send } = setup({ refusals: 1, msSinceChange: 1 });
  await run({ expects: (user) => user.endsWith(name) });
  expect(send).toHaveBeenCalledTimes(calls);
});
