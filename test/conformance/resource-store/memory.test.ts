import { createMemoryStore } from '../../../operator/src/management/store/testing.ts';
import { describeStore } from './suite.ts';

describeStore(
  'memory',
  async () => ({
    store: createMemoryStore(),
    namespaces: ['team-a', 'team-b'],
    [Symbol.asyncDispose]: async () => undefined,
  }),
  { reviews: false },
);
