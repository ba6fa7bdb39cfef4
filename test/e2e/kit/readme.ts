/** The commands of the README, run as a reader would run them in a checkout. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { capture } from '../../../scripts/machine/index.ts';
import { type ControlPlaneAccess, ensurePrograms, pathOf } from '../../cluster/index.ts';
import { blocksOf, ROOT } from '../../docs/documents.ts';

const PORT = /\b8787\b/g;
/** The README's are for machines that do nothing else. */
const TIMEOUT = /--timeout[= ]\d+s\b/g;
const PRELUDE = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body --max-time 120 "$@"; }
`;
const COMMAND_MS = 900_000;

const blocks = blocksOf('README.md').filter(({ language }) => language === 'sh');
const blocksThat = (pattern: RegExp): readonly string[] =>
  blocks.map(({ text }) => text).filter((text) => pattern.test(text));

/** Blocks by what they do. */
export const README = {
  install: blocksThat(/^helm /),
  examples: blocksThat(/^kubectl apply /),
  forward: blocksThat(/^kubectl port-forward /),
  request: blocksThat(/^curl /),
} as const;

export interface Reader extends AsyncDisposable {
  /** Runs commands to their end and gives what they printed; a failure of one fails the test. */
  run(commands: string): Promise<string>;
  /** Starts a port-forward, which ends when it is disposed of. */
  forward(command: string): Promise<AsyncDisposable>;
}

/** A folder that looks like a checkout, with the tools on the path and a free port in place of the gateway's. */
export async function openCheckout({ kubeconfigPath, kubectlPath }: ControlPlaneAccess): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-readme-'));
  for (const name of ['charts', 'examples']) await symlink(join(ROOT, name), join(folder, name));
  const helm = pathOf(await ensurePrograms(['helm']), 'helm');
  const path = [dirname(helm), dirname(kubectlPath), process.env['PATH']].join(':');
  const env = { HOME: folder, KUBECONFIG: kubeconfigPath, PATH: path };
  const port = await freePort();
  const scriptOf = (commands: string): string =>
    PRELUDE + commands.replaceAll(PORT, port).replaceAll(TIMEOUT, '--timeout=600s');
  return {
    run: async (commands) => {
      const command = ['bash', '-c', scriptOf(commands)];
      const { code, stdout, stderr } = await capture(command, { cwd: folder, env, timeoutMs: COMMAND_MS });
      if (code !== 0) throw new Error(`${commands}\nended with ${code}: ${stdout}${stderr}`);
      return stdout;
    },
    forward: (command) => startForward(command.replace('8787', `${port}:8787`), { cwd: folder, env }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startForward(
  command: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<AsyncDisposable> {
  const child = spawn('bash', ['-c', `exec ${command}`], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
  }
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${out}`);
      return out.includes('Forwarding from');
    },
    { what: command },
  );
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A server without a port');
  return String(address.port);
}
