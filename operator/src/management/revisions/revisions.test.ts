import { expect, test } from 'vitest';
import { type Database, DatabaseAway } from '../database/index.ts';
import { createRevisions, versionIdOf } from './index.ts';

const config = (provider: string) => ({
  kind: 'GatewayConfig' as const,
  meta: { uid: '00000000-0000-4000-8000-000000000001' },
  spec: { config: { provider } },
});

/** Notes how often it is used; away while told so. */
function createCounted() {
  const state = { isAway: true, uses: 0 };
  const database: Database = {
    use: async () => {
      state.uses += 1;
      if (state.isAway) throw new DatabaseAway('away');
      throw new Error('no query is expected');
    },
    isOpen: () => true,
    exists: () => true,
    close: async () => undefined,
  };
  return { database, state };
}

test('the version of an object is that of its content, whatever the order of members', () => {
  const [a, b] = [
    { displayName: 'C', config: { provider: '@a' } },
    { config: { provider: '@a' }, displayName: 'C' },
  ];
  const idOf = (spec: object, uid = '1'): string => versionIdOf({ meta: { uid }, spec: { ...spec } as never });
  expect(idOf(a)).toBe(idOf(b));
  expect(idOf(a)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(idOf(a)).not.toBe(idOf(a, '2'));
  expect(idOf({ ...a, description: undefined })).toBe(idOf(a));
});

test('the same content is written once, however often watches tell of it', async () => {
  const { database, state } = createCounted();
  const revisions = createRevisions({
    ...{ database, now: () => 0, onDropped: () => undefined },
    isEnabled: () => true,
  });
  for (let i = 0; i < 5; i += 1) revisions.note(config('@a'));
  await revisions.close();
  expect(state.uses).toBe(2); // and once more when it closes
});

test('where nothing is kept the database is left alone', async () => {
  const { database, state } = createCounted();
  const revisions = createRevisions({
    ...{ database, now: () => 0, onDropped: () => undefined },
    isEnabled: () => false,
  });
  revisions.note(config('@a'));
  revisions.forget(config('@a').meta.uid);
  expect(await revisions.list(config('@a').meta.uid)).toEqual([]);
  await revisions.close();
  expect(state.uses).toBe(0);
});

test('while the database is away contents wait up to a number of bytes, and the oldest go', async () => {
  const { database } = createCounted();
  let dropped = 0;
  const onDropped = (count: number): void => {
    dropped += count;
  };
  const revisions = createRevisions({ database, now: () => 0, onDropped, isEnabled: () => true, maxBytes: 1_000 });
  for (let i = 0; i < 10; i += 1) revisions.note(config(`@${i}`));
  expect(dropped).toBe(6);
  await revisions.close();
});
