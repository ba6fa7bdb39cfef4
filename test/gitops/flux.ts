/** Flux's kustomize-controller as a process, and a source for it: folders that a web server of the test serves. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { run } from '../../scripts/machine/index.ts';
import { type ControlPlaneAccess, ensurePrograms, pathOf } from '../cluster/index.ts';

export const FLUX_NAMESPACE = 'flux-system';

/** An archive as a source-controller would have stored it. */
export interface Artifact {
  readonly url: string;
  readonly digest: string;
  readonly revision: string;
  readonly path: string;
  readonly size: number;
  readonly lastUpdateTime: string;
}

export interface ArtifactServer extends AsyncDisposable {
  /** Packs what is below the folder; `revision` is `main@sha1:` and the digest. */
  publish(folder: string, names?: readonly string[]): Promise<Artifact>;
}

export async function startArtifactServer(): Promise<ArtifactServer> {
  const archives = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? '');
    response.writeHead(archive === undefined ? 404 : 200).end(archive);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    publish: async (folder, names = ['.']) => {
      const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-artifact-'));
      try {
        const file = join(scratch, 'artifact.tar.gz');
        await run(['tar', '--create', '--gzip', '--file', file, '--directory', folder, ...names]);
        const archive = await readFile(file);
        const digest = createHash('sha256').update(archive).digest('hex');
        const path = `/${digest}.tar.gz`;
        archives.set(path, archive);
        return {
          url: `http://127.0.0.1:${port}${path}`,
          digest: `sha256:${digest}`,
          revision: `main@sha1:${digest.slice(0, 40)}`,
          path: path.slice(1),
          size: archive.length,
          lastUpdateTime: '2027-01-01T00:00:00Z',
        };
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Controller extends AsyncDisposable {
  /** Ends it and gives what it logged. */
  stop(): Promise<string>;
}

export async function startKustomizeController({
  kubeconfigPath,
}: Pick<ControlPlaneAccess, 'kubeconfigPath'>): Promise<Controller> {
  const program = pathOf(await ensurePrograms(['kustomize-controller']), 'kustomize-controller');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-flux-'));
  const addresses = ['--metrics-addr=127.0.0.1:0', '--health-addr=127.0.0.1:0'];
  const child = spawn(program, [...addresses, '--watch-all-namespaces', '--requeue-dependency=1s'], {
    env: { HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfigPath, RUNTIME_NAMESPACE: FLUX_NAMESPACE },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = buffer(child.stderr);
  const ended = once(child, 'close');
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
    return (await log).toString();
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
