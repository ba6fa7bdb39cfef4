import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { systemErrorText } from '../preflight.ts';
import { type Check, failed, okay } from './check.ts';

/** Time that a gateway on the port has for its answer, in ms. */
const ANSWER_MS = 1_000;

export interface Listener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Whether a process could listen on all of them at once. */
export async function checkPorts(listeners: readonly Listener[]): Promise<readonly Check[]> {
  const held = new Map<Listener, Server>();
  const checks: Check[] = [];
  try {
    for (const listener of listeners) checks.push(await checkPort(listener, held));
    return checks;
  } finally {
    await Promise.all([...held.values()].map(closed));
  }
}

/** A port that is free is held. */
async function checkPort(listener: Listener, held: Map<Listener, Server>): Promise<Check> {
  const { name, host, port } = listener;
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (port === 0) return okay(name, 'any free one');
  try {
    held.set(listener, await listening(host, port));
    return okay(name, `${place} is free`);
  } catch (error) {
    return failed(name, `${place}: ${systemErrorText(error)}${await holderOf(listener, held, error)}`);
  }
}

async function listening(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** The end of the sentence about a port that is in use. */
async function holderOf(
  { host, port }: Listener,
  held: ReadonlyMap<Listener, Server>,
  error: unknown,
): Promise<string> {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return '';
  const other = [...held.keys()].find((one) => one.port === port);
  if (other !== undefined) return `: it is that of ${other.name}, too`;
  return (await isGateway(host, port)) ? ': a gateway runs there' : '';
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
