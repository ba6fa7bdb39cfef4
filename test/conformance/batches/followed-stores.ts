/** What every store does with batches at providers that are followed: gateway/src/batches/followed-store.ts. */
import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type FollowedBatch,
  type FollowedLease,
  type JobStore,
  LeaseLost,
} from '../../../gateway/src/batches/index.ts';
import { newId } from '../../../gateway/src/lib/random.ts';
import { type OpenedJobs, useStores } from './job-stores.ts';

const NOW = Date.UTC(2027, 0, 1);
const LEASE = { nowMs: NOW, leaseMs: 10_000 };
const MANY = 1_000;

const newName = (): string => hash('sha256', newId('', 16));

const batchOf = (workspace: string, over: Partial<FollowedBatch> = {}): FollowedBatch => ({
  id: newName(),
  workspace,
  slug: 'openai',
  batch: 'arn:aws/1 "ü"',
  key: { id: 'key/team/app', name: 'app' },
  metadata: '{"a":"ü"}',
  traceId: 'trace',
  createdAt: NOW - 1,
  ...over,
});

export function describeFollowedStore(name: string, prepare: () => Promise<OpenedJobs>): void {
  describe(`followed batches in ${name}`, () => {
    let jobs: JobStore;
    let other: JobStore;
    useStores(prepare, (first, second) => {
      [jobs, other] = [first, second];
    });

    const taken = async (store: JobStore, nowMs = NOW, except = new Set<string>()): Promise<FollowedLease> => {
      const lease = await store.claimFollowed({ ...LEASE, nowMs, except });
      if (lease === undefined) throw new Error('there is nothing to be taken');
      return lease;
    };

    test('are one for each id, and gone once they end', async () => {
      const batch = batchOf('team-a');
      expect(await other.follows(batch.id)).toBe(false);
      expect(await jobs.follow(batch, MANY)).toBe(true);
      expect(await jobs.follow({ ...batch, traceId: 'another' }, MANY)).toBe(true);
      expect(await other.follows(batch.id)).toBe(true);
      const lease = await taken(other);
      expect([lease.followed, lease.number]).toEqual([batch, 1]);
      await lease.end(NOW, MANY);
      expect(await jobs.follows(batch.id)).toBe(false);
      expect(await jobs.claimFollowed({ ...LEASE, nowMs: NOW + 1e9 })).toBeUndefined();
    });

    test('are not followed again once they have ended, whoever asks for it, until that is forgotten', async () => {
      const batch = batchOf('team-d');
      await jobs.follow(batch, MANY);
      await (await taken(jobs)).end(NOW, MANY);
      for (const again of [batch, { ...batch, traceId: 'another' }, { ...batch, workspace: 'team-e' }]) {
        expect(await other.follow(again, MANY)).toBe(true);
        expect(await other.follows(batch.id)).toBe(false);
      }
      expect(await jobs.claimFollowed({ ...LEASE, nowMs: NOW + 1e9 })).toBeUndefined();
      await jobs.forgetBefore(NOW, MANY);
      await jobs.follow(batch, MANY);
      expect(await jobs.follows(batch.id)).toBe(false);
      await jobs.forgetBefore(NOW + 1_000, MANY);
      await jobs.follow(batch, MANY);
      await (await taken(jobs)).end(NOW, MANY);
    });

    test('that have ended are known in each workspace up to a number, the oldest of them no longer', async () => {
      const batches = ['team-f', 'team-g', 'team-g', 'team-g'].map((team) => batchOf(team));
      for (const [i, batch] of batches.entries()) {
        await jobs.follow(batch, MANY);
        await (await taken(other)).end(NOW + i * 1_000, 2);
      }
      for (const batch of batches) await jobs.follow(batch, MANY);
      const followed = await Promise.all(batches.map(({ id }) => other.follows(id)));
      expect(followed).toEqual([false, true, false, false]);
      await (await taken(jobs)).end(NOW, MANY);
    });

    test('are taken by one process at a time, until the lease is over or given back', async () => {
      await jobs.follow(batchOf('team-a'), MANY);
      const claims = await Promise.all([jobs, other, jobs].map((store) => store.claimFollowed(LEASE)));
      const [first, ...more] = claims.filter((lease) => lease !== undefined);
      expect(more).toEqual([]);
      await first?.renew(NOW + 5_000);
      expect(await other.claimFollowed({ ...LEASE, nowMs: NOW + 14_000 })).toBeUndefined();
      const second = await taken(other, NOW + 16_000);
      expect(second.number).toBe(2);
      await expect(first?.renew(NOW + 16_001)).rejects.toBeInstanceOf(LeaseLost);
      await expect(first?.later(NOW)).rejects.toBeInstanceOf(LeaseLost);
      await expect(first?.end(NOW, MANY)).rejects.toBeInstanceOf(LeaseLost);
      await second.later(NOW + 60_000);
      expect(await jobs.claimFollowed({ ...LEASE, nowMs: NOW + 59_000 })).toBeUndefined();
      const third = await taken(jobs, NOW + 60_001);
      expect(third.number).toBe(3);
      await third.end(NOW, MANY);
    });

    test('are bounded in each workspace, and those of busy ones are left out', async () => {
      const batch = batchOf('team-b');
      expect(await jobs.follow(batch, 1)).toBe(true);
      expect(await other.follow(batchOf('team-b'), 1)).toBe(false);
      expect(await jobs.claimFollowed({ ...LEASE, except: new Set(['team-b']) })).toBeUndefined();
      const elsewhere = batchOf('team-c');
      expect(await jobs.follow(elsewhere, 1)).toBe(true);
      const lease = await taken(jobs, NOW, new Set(['team-b']));
      expect(lease.followed.id).toBe(elsewhere.id);
      await lease.end(NOW, MANY);
      await (await taken(jobs)).end(NOW, MANY);
    });

    test('have rows that one of those counts who read them at the same time', async () => {
      const output = newName();
      expect(await jobs.countedRows(output, 'worker')).toBe(0);
      const claims = ['one', 'two'].map((owner) =>
        (owner === 'one' ? jobs : other).countRows(output, { before: 0, rows: 5, owner, nowMs: NOW }),
      );
      expect((await Promise.all(claims)).toSorted()).toEqual([false, true]);
      expect(await other.countedRows(output, 'worker')).toBe(5);
      expect(await jobs.countRows(output, { before: 0, rows: 9, owner: 'worker', nowMs: NOW })).toBe(false);
      expect(await jobs.countRows(output, { before: 5, rows: 9, owner: 'worker', nowMs: NOW })).toBe(true);
      expect(await other.countedRows(output, 'somebody')).toBe(9);
      expect(await jobs.countedRows(newName(), 'somebody')).toBe(0);
    });

    test('have rows that their owner may count again, and nobody else', async () => {
      const output = newName();
      const claim = { before: 0, rows: 5, owner: 'worker', nowMs: NOW };
      expect(await jobs.countRows(output, claim)).toBe(true);
      expect(await other.countedRows(output, 'worker')).toBe(0);
      expect(await other.countRows(output, claim)).toBe(true);
      expect(await other.countRows(output, { ...claim, owner: 'client' })).toBe(false);
      expect(await other.countedRows(output, 'client')).toBe(5);
    });

    test('have rows that are forgotten after a while', async () => {
      const output = newName();
      await jobs.countRows(output, { before: 0, rows: 5, owner: 'worker', nowMs: Date.now() });
      await jobs.forgetBefore(Date.now() - 86_400_000, MANY);
      expect(await jobs.countedRows(output, 'client')).toBe(5);
      await jobs.forgetBefore(Date.now() + 86_400_000, MANY);
      expect(await jobs.countedRows(output, 'client')).toBe(0);
    });
  });
}
