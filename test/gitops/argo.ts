/** Argo CD's application controller and repo server as processes, with a Redis of their own, and a git repository. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/machine/index.ts';
import { ARGO_MODULE, foreignDefinitions } from '../chart/foreign-definitions.ts';
import { type ControlPlane, ensurePrograms, pathOf } from '../cluster/index.ts';
import { startRedis } from '../kit/redis.ts';
import { waitFor } from '../kit/wait-for.ts';

export const ARGO_NAMESPACE = 'argocd';

export interface Repository extends AsyncDisposable {
  /** The working copy. */
  readonly folder: string;
  readonly url: string;
  /** Commits the working copy as it is; gives the revision. */
  commit(): Promise<string>;
}

export async function createRepository(): Promise<Repository> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-repository-'));
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]): Promise<string> => run(['git', '-C', folder, ...author, ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    url: `file://${folder}`,
    commit: async () => {
      await git('add', '--all');
      await git('commit', '--quiet', '--message=change');
      return (await git('rev-parse', 'HEAD')).trim();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Argo extends AsyncDisposable {
  /** What both programs logged. */
  log(): string;
}

/** Starts the programs for Applications of the namespace `argocd`, whose ConfigMaps have to be there. */
export async function startArgo(controlPlane: ControlPlane): Promise<Argo> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-argo-'));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const redis = parts.use(await startRedis());
  const programs = await ensurePrograms(['argocd', 'helm']);
  const [wrapper = ''] = await foreignDefinitions([{ ...ARGO_MODULE, files: ['hack/git-verify-wrapper.sh'] }]);
  // The repo server calls these by name.
  await mkdir(join(folder, 'bin'));
  await symlink(pathOf(programs, 'helm'), join(folder, 'bin/helm'));
  await cp(wrapper, join(folder, 'bin/git-verify-wrapper.sh'));
  await chmod(join(folder, 'bin/git-verify-wrapper.sh'), 0o755);
  const env = {
    HOME: folder,
    TMPDIR: folder,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    KUBECONFIG: controlPlane.kubeconfigPath,
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_APP_CONF_PATH: folder,
  };
  const start = (name: string, args: readonly string[]): Program => {
    const program = startProgram(pathOf(programs, 'argocd'), args, { ...env, ARGOCD_BINARY_NAME: name });
    parts.defer(() => program.stop());
    return program;
  };
  const shared = ['--redis', `127.0.0.1:${redis.port}`];
  const repoServer = start('argocd-repo-server', [
    ...shared,
    ...['--address', '127.0.0.1', '--port', '0', '--metrics-address', '127.0.0.1', '--metrics-port', '0'],
  ]);
  const [, port = ''] = await waitFor(() => repoServer.find(/is listening on 127\.0\.0\.1:(\d+)/), {
    what: 'a repo server that listens',
  });
  const controller = start('argocd-application-controller', [
    ...shared,
    ...['--namespace', ARGO_NAMESPACE, '--repo-server', `127.0.0.1:${port}`, '--metrics-port', '0'], // at every address: it has no option
    ...['--app-resync', '10', '--app-resync-jitter', '0'], // in seconds: no change of a definition makes it look again
    '--persist-resource-health', // else an Application does not tell the health of its resources
  ]);
  const started = parts.move();
  return {
    log: () => `${repoServer.output()}${controller.output()}`,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface Program {
  output(): string;
  /** Throws when it has ended. */
  find(pattern: RegExp): RegExpExecArray | null;
  stop(): Promise<void>;
}

function startProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const child: ChildProcess = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  return {
    output: () => output,
    find: (pattern) => {
      if (child.exitCode !== null) throw new Error(`${env['ARGOCD_BINARY_NAME']} ended: ${output}`);
      return pattern.exec(output);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
