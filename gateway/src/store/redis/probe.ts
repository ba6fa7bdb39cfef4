import { err, ok, type Result } from '@gatehouse/crds';
import { createClient, type RedisSettings, withDeadline, withoutCommand } from './connection.ts';

/** Longest wait for the connection and an answer, in ms. */
const PROBE_MS = 5_000;

/** Connects once and asks for an answer. Errors: the text of the server or of the system. */
export async function probeRedis(settings: RedisSettings): Promise<Result<undefined, string>> {
  const client = await createClient(settings);
  let reason: unknown;
  client.on('error', (error: unknown) => {
    reason ??= error;
  });
  try {
    await withDeadline(
      client.connect().then(() => client.ping()),
      PROBE_MS,
    );
    return ok(undefined);
  } catch (error) {
    return err(withoutCommand(reason ?? error).message);
  } finally {
    client.disconnect();
  }
}
