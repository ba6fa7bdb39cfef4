/** Deletions that the webhook refuses because the operator has not read yet that the users of the object are gone. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../../../runtime/index.ts';
import { translate } from '../../../translate/index.ts';
import { type TestObject, worldOf } from '../../../translate/test-world.ts';
import type { CustomObject } from '../../../world/index.ts';
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

/** A store that knows the objects, before an API server that refuses so often. */
function setup(known: readonly TestObject[] | undefined, refusals: number) {
  const world = known && worldOf([WORKSPACE, USED as TestObject, ...known]);
  const now = world && { world, translation: translate(world) };
  let left = refusals;
  const send = vi.fn(async () => {
    left -= 1;
    if (left >= 0) throw refusal;
  });
  const client = { get: async () => USED, delete: send } as unknown as WriteParts['client'];
  const followed = { untilRead: async () => {}, [Symbol.dispose]: () => undefined };
  const parts: WriteParts = {
    client,
    objects: { get: () => undefined, list: () => [], find: () => undefined, follow: () => followed },
    secrets: { write: vi.fn(), adopt: vi.fn(), empty: vi.fn() },
    view: { translatedWorld: () => now, isTerminating: () => false },
    parse: { caps: DEFAULT_TARGET_CAPS },
    signal: new AbortController().signal,
  };
  return { send, run: () => deleteObject(parts, PLACE, { force: false }) };
}

test('wait for the operator where the store knows of no user', async () => {
  const { run, send } = setup([], 3);
  expect(await run()).toEqual({ ok: true, value: undefined });
  expect(send).toHaveBeenCalledTimes(4);
});

test('are refused in the end where the operator goes on to know one', async () => {
  const { run, send } = setup([], Number.POSITIVE_INFINITY);
  expect(await run()).toEqual({ ok: false, error: { kind: 'in-use', users: ['GatewayConfig/a/user'] } });
  expect(send.mock.calls.length).toBeGreaterThan(1);
});

test('are refused at once, and not sent, where the store knows a user', async () => {
  const { run, send } = setup([USER], 0);
  expect(await run()).toEqual({ ok: false, error: { kind: 'in-use', users: ['GatewayConfig/a/user'] } });
  expect(send).not.toHaveBeenCalled();
});

test('are refused at once where the store does not know all objects yet', async () => {
  const { run, send } = setup(undefined, 1);
  expect(await run()).toMatchObject({ ok: false });
  expect(send).toHaveBeenCalledTimes(1);
});
