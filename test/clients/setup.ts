import { installClients } from './install.ts';

/** Global setup: the clients are installed first, since a cold installation takes minutes. */
export async function setup(): Promise<void> {
  await installClients(console.log);
}
