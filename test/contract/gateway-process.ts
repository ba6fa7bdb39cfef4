/** The gateway program, as its image runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isObject } from '@gatehouse/crds';
import { COMPILED, KEY, programArgs, waitFor } from '@gatehouse/test/kit';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly adminPort: number;
  readonly child: ChildProcess;
  readonly output: () => string;
  /** The model that answers, or the status of a failed request. */
  ask(): Promise<string | number>;
  ready(): Promise<boolean>;
  status(): Promise<Record<string, never> & { snapshot: { version?: number }; source: Record<string, unknown> }>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

export const ADMIN_TOKEN = 'admin-token-of-tests';

/** Starts it on free ports of loopback and waits until it listens; fails when it ends before. */
export async function startGateway(variables: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [...programArgs('gateway')], {
    env: {
      ...COMPILED,
      HOST: '127.0.0.1',
      PORT: '0',
      GATEHOUSE_ADMIN_PORT: '0',
      GATEHOUSE_ADMIN_TOKEN: ADMIN_TOKEN,
      GATEHOUSE_DRAIN_ACCEPT_MS: '0',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ports = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}: ${output}`);
      return /"port":(\d+),"adminPort":(\d+)/.exec(output);
    },
    { what: 'a gateway that listens' },
  );
  const [, port = '', adminPort = ''] = ports;
  const url = `http://127.0.0.1:${port}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    url,
    adminUrl,
    adminPort: Number(adminPort),
    child,
    output: () => output,
    ask: () => ask(url),
    ready: async () => (await fetch(`${adminUrl}/readyz`)).ok,
    status: async () =>
      (
        await fetch(`${adminUrl}/internal/status`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      ).json() as never,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

export async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string | number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }] }),
  });
  const body: unknown = await response.json();
  return response.ok && isObject(body) ? String(body['model']) : response.status;
}
