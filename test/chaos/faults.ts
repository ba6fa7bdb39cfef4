/** What can go wrong around an operator and its gateways. Each fault ends on its own or is repaired by the programs under test. */
import { waitFor } from '@gatehouse/test/kit';
import type { ProxiedRequest } from '../kit/fault-proxy.ts';
import { apply, remove } from '../operator/operator/support.ts';
import { type Backup, isHealed, putBack, removeObject, takeBackup } from './backups.ts';
import { apiKeyOf, type ChaosWorld } from './world.ts';

export interface Chance {
  /** Uniform in [0, below). */
  integer(below: number): number;
  pick<T>(items: readonly T[]): T | undefined;
}

/** What faults share during one run. */
export interface Run {
  readonly world: ChaosWorld;
  readonly chance: Chance;
  readonly backups: Backup[];
  /** Gateway keys that were deleted. */
  readonly revoked: string[];
}

export interface Fault {
  readonly name: string;
  /** Share among all faults. */
  readonly weight: number;
  strike(run: Run): Promise<void>;
}

const isWrite = ({ method }: ProxiedRequest): boolean => method !== 'GET';

export const FAULTS: readonly Fault[] = [
  { name: 'an edit', weight: 20, strike: ({ world }) => world.edit() },
  {
    name: 'ten edits at once',
    weight: 6,
    strike: async ({ world }) => {
      for (let left = 10; left > 0; left -= 1) await world.edit();
    },
  },
  {
    name: 'a key that comes and goes',
    weight: 8,
    strike: async ({ world: { cluster, stage }, revoked }) => {
      const key = `gwk_a_passing_key_of_the_chaos_tests_${revoked.length}`;
      const object = apiKeyOf(stage, `passing-${revoked.length}`, key);
      await apply(cluster, object);
      await remove(cluster, object);
      revoked.push(key);
    },
  },
  {
    name: 'an operator that crashes',
    weight: 5,
    strike: async ({ world: { operators }, chance }) => chance.pick(operators)?.kill(),
  },
  {
    name: 'a gateway that is replaced',
    weight: 4,
    strike: async ({ world, chance }) => {
      const pod = chance.pick([...world.pods]);
      if (pod === undefined) return;
      await waitFor(() => isHealed(world), { what: 'the manifest, which was put back' });
      await world.replacePod(pod);
    },
  },
  {
    name: 'a published object that is deleted',
    weight: 10,
    strike: async ({ world, chance }) => {
      const object = chance.pick(await takeBackup(world));
      if (object !== undefined) await removeObject(world, object);
    },
  },
  {
    name: 'a published object in an old state',
    weight: 15,
    strike: async ({ world, chance, backups }) => {
      const object = chance.pick(chance.pick(backups) ?? []);
      if (object !== undefined) await putBack(world, object);
    },
  },
  {
    name: 'everything published in an old state',
    weight: 4,
    strike: async ({ world, chance, backups }) => {
      for (const object of chance.pick(backups) ?? []) await putBack(world, object);
    },
  },
  {
    name: 'a published object with other content',
    weight: 6,
    strike: async ({ world, chance }) => {
      const object = chance.pick(await takeBackup(world));
      if (object === undefined) return;
      const data = Object.fromEntries(
        Object.keys(object.data ?? {}).map((name) => [name, Buffer.from('{}').toString('base64')]),
      );
      await putBack(world, { ...object, data });
    },
  },
  {
    name: 'connections to the API server that break',
    weight: 8,
    strike: async ({ world: { proxy } }) => proxy.cutAll(),
  },
  {
    name: 'writes that fail',
    weight: 10,
    strike: async ({ world: { proxy }, chance }) => {
      const status = chance.pick([409, 429, 500, 503]) ?? 500;
      const headers = status === 429 ? { 'retry-after': '1' } : {};
      const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
      proxy.inject(isWrite, { kind: 'answer', status, body, headers }, 1 + chance.integer(4));
    },
  },
  {
    name: 'writes whose answers are lost',
    weight: 6,
    strike: async ({ world: { proxy }, chance }) =>
      proxy.inject(isWrite, { kind: 'cut', afterBytes: 0 }, 1 + chance.integer(3)),
  },
  {
    name: 'an API server that is slow',
    weight: 6,
    strike: async ({ world: { proxy }, chance }) =>
      proxy.inject(() => true, { kind: 'delay', ms: 200 + chance.integer(800) }, 10),
  },
];
