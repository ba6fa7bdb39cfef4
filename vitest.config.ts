import { defineConfig } from 'vitest/config';

const source = {
  resolve: { conditions: ['@gatehouse/source'] },
  ssr: { resolve: { conditions: ['@gatehouse/source'] } },
};

/** Ends a test that hangs. How fast something is, is no matter of these lanes: a busy machine makes everything slow. */
const HANGING = { testTimeout: 300_000, hookTimeout: 300_000 };

/** Beside the source: tests that open sockets, start processes, wait for files or work for long. No unit test does. */
const INTEGRATION = '{gateway,operator,standalone,images,scripts,test/bench}/**/*.integration.test.ts';

export default defineConfig({
  ...source,
  test: {
    projects: [
      {
        ...source,
        test: {
          name: 'unit',
          include: [
            '{crds,gateway,operator,standalone,images,scripts}/**/*.test.ts',
            'test/{bench,kit,lanes}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', INTEGRATION],
          isolate: false, // no file leaves anything behind; loading modules once per worker halves the time
          maxWorkers: 2,
          setupFiles: ['test/kit/fail-on-console.ts'],
          testTimeout: 60_000,
        },
      },
      {
        ...source,
        test: {
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          exclude: ['test/docs/commands/**'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'commands',
          include: ['test/docs/commands/**/*.test.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          isolate: false, // as in integration
          maxWorkers: 2,
          ...HANGING,
          setupFiles: ['test/kit/fail-on-console.ts'],
        },
      },
      {
        ...source,
        test: {
          name: 'integration',
          include: ['test/{contract,integration,regression}/**/*.test.ts', INTEGRATION],
          exclude: ['test/integration/{redis,postgres,clickhouse}/**'],
          isolate: false, // every file closes what it opens; loading the gateway once per worker halves the time
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'redis',
          include: ['test/integration/redis/**/*.test.ts'],
          isolate: false,
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'postgres',
          include: ['test/integration/postgres/**/*.test.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'clickhouse',
          include: ['test/integration/clickhouse/**/*.test.ts'],
          globalSetup: ['test/clickhouse/setup.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts', 'test/operator/**/*.test.ts'],
          exclude: ['**/*.nodes.test.ts'],
          isolate: false, // as in integration
          globalSetup: ['test/cluster/setup.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'cluster-nodes',
          include: ['test/{cluster,operator,images}/**/*.nodes.test.ts'],
          globalSetup: ['test/cluster/setup-nodes.ts'],
          fileParallelism: false, // one of them compares the machine before and after
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'security',
          include: ['test/security/**/*.test.ts'],
          globalSetup: ['test/cluster/setup.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          globalSetup: ['test/cluster/setup.ts'],
          fileParallelism: false, // each has an installation of its own
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...source,
        test: {
          name: 'chart',
          include: ['test/{chart,gitops}/**/*.test.ts'],
          globalSetup: ['test/chart/setup.ts'],
          maxWorkers: 2,
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false, // one cluster, and traffic whose every failure counts
          testTimeout: 900_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        ...source,
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/clients/setup.ts'],
          fileParallelism: false, // clients load a lot; two at a time would only wait for each other
          ...HANGING,
        },
      },
      {
        ...source,
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          testTimeout: 1_200_000,
        },
      },
    ],
  },
});
