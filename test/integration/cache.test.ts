import { describeCache } from './suites/cache.ts';

describeCache('memory', () => ({ CACHE_STORE: 'memory' }));
