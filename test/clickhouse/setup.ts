import { installEngine } from './install.ts';

/** Global setup: the engine is installed first, since a cold installation takes a minute. */
export async function setup(): Promise<void> {
  await installEngine();
}
