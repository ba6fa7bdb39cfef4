import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder that keeps what is built or downloaded for tests and images; `GATEHOUSE_TEST_CACHE` moves it. */
export const cacheFolder = (): string =>
  resolve(process.env['GATEHOUSE_TEST_CACHE'] ?? join(homedir(), '.cache', 'gatehouse', 'test-tools'));
