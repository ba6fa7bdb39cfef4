/** The commands of the guides, run as they stand. Blocks that need pods are marked `text` there. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { type ControlPlane, ensurePrograms, pathOf, runKubectl, startControlPlane } from '../cluster/index.ts';
import { type Block, blocksOf, clusterGuideBlocks, ROOT } from '../docs/documents.ts';
import { waitFor } from '../kit/wait-for.ts';
import { foreignDefinitions, GATEWAY_API } from './foreign-definitions.ts';
import { definitionsServed } from './helm.ts';

const guide = clusterGuideBlocks();
const gitops = blocksOf('docs/guide/gitops.md');

let controlPlane: ControlPlane;
/** Looks like a checkout, with the files that the guide describes. */
let folder: string;
let env: NodeJS.ProcessEnv;

/** Each file that a command applies, and the YAML block before that command, which is its content. */
function filesOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let latest = '';
  for (const { language, text } of blocks) {
    if (language === 'yaml') latest = text;
    const name = /kubectl apply -f ([\w-]+\.yaml)/.exec(text)?.[1];
    if (language === 'sh' && name !== undefined) files.set(name, latest);
  }
  return files;
}

beforeAll(async () => {
  controlPlane = await startControlPlane();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-guide-'));
  await symlink(join(ROOT, 'charts'), join(folder, 'charts'));
  const files = filesOf(guide);
  expect([...files.keys()]).toContain('team-a.yaml');
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  const definitions = (await foreignDefinitions([GATEWAY_API])).flatMap((file) => ['-f', file]);
  await runKubectl(controlPlane, ['apply', '--server-side', ...definitions]);
  const programs = [pathOf(await ensurePrograms(['helm']), 'helm'), controlPlane.kubectlPath].map(dirname);
  const { kubeconfigPath } = controlPlane;
  env = { HOME: folder, KUBECONFIG: kubeconfigPath, PATH: [...programs, process.env['PATH']].join(':') };
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await controlPlane[Symbol.asyncDispose]();
});

const shell = (text: string) => capture(['bash', '-euo', 'pipefail', '-c', text], { cwd: folder, env });

const KEY = 'gwk_played';

/** In place of the operator, whose pods do not run here. */
const mint = () =>
  runKubectl(controlPlane, [
    'create',
    'secret',
    'generic',
    'app-key',
    '--namespace=team-a',
    `--from-literal=key=${KEY}`,
  ]);

test('from the install to the removal', async () => {
  const commands = guide.filter(({ language }) => language === 'sh');
  expect(commands.length).toBeGreaterThan(3);
  for (const { document, text, line } of commands) {
    const isKey = text.startsWith('KEY=');
    if (isKey) await mint();
    // No node runs the Job of the hook here; the removal with it is a scenario of the end-to-end tests.
    const played = text.replace('helm uninstall gatehouse ', 'helm uninstall --no-hooks gatehouse ');
    const { code, stdout, stderr } = await shell(isKey ? `${played}\nprintf %s "$KEY"` : played);
    expect(code, `${document}:${line}: ${stderr}`).toBe(0);
    if (isKey) expect(stdout).toBe(KEY);
  }
  const left = await runKubectl(controlPlane, ['get', 'crd', '--output=name']);
  expect(left).not.toContain('gatehouse.dev');
});

test('with kustomize, the second time included', async () => {
  const commands = gitops.filter(({ language }) => language === 'sh');
  expect(commands).toHaveLength(1);
  await shell(commands[0]?.text ?? '');
  await definitionsServed(controlPlane);
  // The namespace of the fleet may still be going from the test before.
  await waitFor(async () => (await shell(commands[0]?.text ?? '')).code === 0, { what: 'a kustomization applied' });
  const fleet = await runKubectl(controlPlane, ['get', 'gatewayfleets', '--all-namespaces', '--output=name']);
  expect(fleet.trim()).toBe('gatewayfleet.gatehouse.dev/default');
});
