import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemErrorText } from '../preflight.ts';
import { type Check, failed, okay } from './check.ts';

/** Time that a gateway on the port has for its answer, in ms. */
const ANSWER_MS = 1_000;

/** Whether a process could listen on the port. */
export async function checkPort(name: string, host: string, port: number): Promise<Check> {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (port === 0) return okay(name, 'any free one');
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return okay(name, `${place} is free`);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const who = isTaken && (await isGateway(host, port)) ? ': a gateway runs there' : '';
    return failed(name, `${place}: ${systemErrorText(error)}${who}`);
  }
}

/** Whether health or readiness is answered there as a gateway answers it. */
async function isGateway(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const base = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  const answers = await Promise.all(['/v1/health', '/livez'].map((path) => statusOf(`${base}${path}`)));
  return answers.includes(200);
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}
