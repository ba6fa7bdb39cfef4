import { defineConfig } from 'vitest/config';

const source = {
  resolve: { conditions: ['@gatehouse/source'] },
  ssr: { resolve: { conditions: ['@gatehouse/source'] } },
};

export default defineConfig({
  ...source,
  test: {
    projects: [
      {
        ...source,
        test: {
          name: 'unit',
          include: ['{crds,gateway,operator,standalone}/**/*.test.ts', 'test/kit/**/*.test.ts'],
          setupFiles: ['test/kit/fail-on-console.ts'],
        },
      },
      {
        ...source,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          setupFiles: ['test/kit/fail-on-console.ts'],
        },
      },
    ],
  },
});
