/** Runs the shell blocks of a document the way a reader would, in a folder that looks like the checkout, on free ports. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED, freePort, PROGRAMS_FOLDER, programArgs, waitFor } from '@gatehouse/test/kit';
import { ROOT } from '../documents.ts';

/** Ports as documents and examples name them. */
const NAMED_PORTS = ['8787', '8789', '8790', '8791'] as const;
const PORT = new RegExp(`\\b(?:${NAMED_PORTS.join('|')})\\b`, 'g');

/** Any answer that is no success fails a command, which a reader would see. */
const PRELUDE = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body --max-time 30 "$@"; }
gatehouse() { "$NODE" ${programArgs('standalone')
  .map((arg) => `'${arg}'`)
  .join(' ')} "$@"; }
docker() { "$NODE" --conditions=@gatehouse/source "$DOCKER" "$@"; }
`;

export interface Outcome {
  readonly status: number | string;
  readonly out: string;
}

export interface Running extends AsyncDisposable {
  /** What it has written so far, on both channels. */
  readonly out: string;
  /** Waits until it has written that; fails with all that it has written where it ends before, or does not come to it. */
  shows(wanted: string | RegExp): Promise<void>;
}

export interface Checkout extends Disposable {
  readonly folder: string;
  run(commands: string): Promise<Outcome>;
  /** Starts a command that runs until it is stopped. */
  start(command: string): Running;
}

/** `given` are further variables of what runs there. */
export async function openCheckout(given: Readonly<Record<string, string>> = {}): Promise<Checkout> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  const ports = new Map<string, string>();
  for (const port of NAMED_PORTS) ports.set(port, String(await freePort()));
  const moved = (text: string): string => text.replaceAll(PORT, (port) => ports.get(port) ?? port);

  for (const name of ['crds', 'gateway', 'operator', 'standalone', 'docs', 'node_modules']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  for (const entry of readdirSync(join(folder, 'examples'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, moved(readFileSync(path, 'utf8')));
  }
  const programs = process.env[PROGRAMS_FOLDER];
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE: process.execPath,
    DOCKER: fileURLToPath(new URL('docker.ts', import.meta.url)),
    PORT: ports.get('8787') ?? '',
    GATEHOUSE_ADMIN_PORT: ports.get('8789') ?? '',
    GATEHOUSE_DRAIN_ACCEPT_MS: '0',
    ...COMPILED,
    ...(programs === undefined ? {} : { [PROGRAMS_FOLDER]: programs }), // for docker
    ...given,
  };
  const bash = (script: string) =>
    spawn('bash', ['-c', PRELUDE + moved(script)], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  return {
    folder,
    run: async (commands) => {
      const { child, written } = collect(bash(commands));
      const status = await ended(child);
      return { status, out: written.text };
    },
    start: (command) => {
      const { child, written } = collect(bash(command));
      return {
        get out() {
          return written.text;
        },
        shows: (wanted) => showing(written, wanted),
        [Symbol.asyncDispose]: async () => {
          if (child.exitCode !== null || child.pid === undefined) return;
          process.kill(-child.pid, 'SIGKILL'); // its group: bash and what it started
          await ended(child);
        },
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Shell = ReturnType<typeof spawn>;

interface Written {
  readonly text: string;
  /** The process has ended, and all of its output has come. */
  readonly isWhole: boolean;
}

function collect(child: Shell): { child: Shell; written: Written } {
  const written = { text: '', isWhole: false };
  child.on('close', () => {
    written.isWhole = true;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      written.text += chunk;
    });
  }
  return { child, written };
}

async function showing(written: Written, wanted: string | RegExp): Promise<void> {
  const what = `${wanted} in the output`;
  const isShown = (): boolean =>
    typeof wanted === 'string' ? written.text.includes(wanted) : wanted.test(written.text);
  try {
    await waitFor(() => isShown() || written.isWhole, { what });
  } catch (error) {
    throw new Error(`${what} was awaited in vain:\n${written.text}`, { cause: error });
  }
  if (!isShown()) throw new Error(`the process ended without ${what}:\n${written.text}`);
}

const ended = (child: Shell): Promise<number | string> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.on('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
