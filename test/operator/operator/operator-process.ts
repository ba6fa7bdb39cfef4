/** The operator as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMPILED, programArgs, waitFor } from '@gatehouse/test/kit';
import { stringify } from 'yaml';
import type { ControlPlaneAccess } from '../../cluster/index.ts';

export interface OperatorProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly healthUrl: string;
  /** Log lines with a message. */
  lines(message: string): readonly Readonly<Record<string, unknown>>[];
  /** Ends it as a stopped pod would be; gives the exit code. */
  stop(): Promise<number | null>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

export interface OperatorSetup {
  readonly kubeconfigPath: string;
  readonly args: readonly string[];
  /** Of Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A busy machine holds up the renewal of a lease for seconds; the arguments of a setup win. */
const LEASE = ['--lease-seconds', '15'];

/** Starts it on free ports of loopback and waits until it answers for its health. */
export async function startOperator({
  kubeconfigPath,
  args,
  nodeArgs = [],
  env = {},
}: OperatorSetup): Promise<OperatorProcess> {
  const own = ['--kubeconfig', kubeconfigPath, '--host', '127.0.0.1', '--log-level', 'debug', ...LEASE];
  const ports = ['health', 'webhook', 'snapshot'].flatMap((name) => [`--${name}-port`, '0']);
  const child = spawn(process.execPath, [...nodeArgs, ...programArgs('operator'), ...own, ...ports, ...args], {
    env: { ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [, port = ''] = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the operator ended with ${child.exitCode}: ${output}`);
      return /"health":(\d+)/.exec(output);
    },
    { what: 'an operator that listens' },
  );
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill(signal);
    await once(child, 'exit');
    return child.exitCode;
  };
  return {
    child,
    output: () => output,
    healthUrl: `http://127.0.0.1:${port}`,
    lines: (message) =>
      output
        .split('\n')
        .slice(0, -1) // the last line may not have come whole
        .filter((line) => line.startsWith('{'))
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
        .filter(({ msg }) => msg === message),
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
    },
  };
}

/** A kubeconfig with the token. */
export function kubeconfigOf({ url, caPem }: ControlPlaneAccess, token: string): string {
  const place = { name: 'cluster', cluster: { server: url, 'certificate-authority-data': btoa(caPem) } };
  const user = { name: 'user', user: { token } };
  const context = { name: 'main', context: { cluster: 'cluster', user: 'user' } };
  const config = { clusters: [place], users: [user], contexts: [context], 'current-context': 'main' };
  return stringify({ apiVersion: 'v1', kind: 'Config', ...config });
}
