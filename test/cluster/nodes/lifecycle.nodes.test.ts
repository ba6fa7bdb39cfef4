import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { run } from '../../../scripts/machine/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { bringDown, bringUpDetached } from '../by-hand.ts';
import { cgroupFolders } from '../cgroups.ts';
import { isAlive } from '../identity.ts';
import { type ControlPlane, runKubectl, startControlPlane, startNodes, withoutNodes } from '../index.ts';
import { cgroupName, recordedProcesses } from '../state-folder.ts';
import { apply, buildProbeImage, probeService, readValue, rolledOut } from './probe/pods.ts';
import { refusingWebhook } from './probe/webhook.ts';

/** What nodes could change of the machine. */
const machine = async (): Promise<object> => ({
  mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
  forwarding: readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8'),
  kernel: ['vm/overcommit_memory', 'vm/panic_on_oom', 'kernel/panic', 'kernel/panic_on_oops'].map((name) =>
    readFileSync(`/proc/sys/${name}`, 'utf8'),
  ),
});

/** What a cluster has on the machine: each of these must be gone with it. */
async function traces({ id, path, link }: { id: string; path: string; link: string | undefined }) {
  const links = await run(['ip', '-br', 'link']);
  return {
    folder: existsSync(path),
    cgroups: cgroupFolders(cgroupName(id)).length > 0,
    link: link !== undefined && links.split('\n').some((line) => line.startsWith(`${link}@`)),
  };
}

const siteOf = ({ id, folder, network }: ControlPlane) => ({ id, path: folder, link: network?.ranges.link });

async function startWithPod(archive: string) {
  const controlPlane = await startControlPlane({ forNodes: true });
  const nodes = await startNodes(controlPlane);
  await nodes.importImage(archive);
  const namespace = await controlPlane.createNamespace();
  await apply(controlPlane, namespace, probeService('web'));
  await rolledOut(controlPlane, namespace, 'web');
  const address = await readValue(controlPlane, namespace, ['service/web', '.spec.clusterIP']);
  return { controlPlane, address };
}

/** The answer of a Service, which has no endpoints until kube-proxy knows them. */
const answerOf = (url: string): Promise<string> =>
  waitFor(
    () =>
      request(url, { reset: true }).then(
        ({ body }) => body.text(),
        () => undefined,
      ),
    { what: url },
  );

describe.skipIf(withoutNodes() !== undefined)('clusters with nodes', () => {
  test('run side by side, and leave nothing behind', async () => {
    const before = await machine();
    await using image = await buildProbeImage();
    const clusters = await Promise.all([startWithPod(image.archive), startWithPod(image.archive)]);
    const answers = await Promise.all(clusters.map(({ address }) => answerOf(`http://${address}/`)));
    expect(answers).toEqual([expect.stringMatching(/^web-/), expect.stringMatching(/^web-/)]);
    expect(new Set(clusters.map(({ address }) => address)).size).toBe(2);

    const sites = clusters.map(({ controlPlane }) => siteOf(controlPlane));
    const processes = sites.flatMap(({ path }) => recordedProcesses(path));
    for (const site of sites) expect(await traces(site)).toEqual({ folder: true, cgroups: true, link: true });
    expect(processes.every(isAlive)).toBe(true);

    await Promise.all(clusters.map(({ controlPlane }) => controlPlane[Symbol.asyncDispose]()));
    for (const site of sites) expect(await traces(site)).toEqual({ folder: false, cgroups: false, link: false });
    expect(processes.filter(isAlive)).toEqual([]);
    expect(await machine()).toEqual(before);
  });

  test('let the API server call a webhook in a pod, and go on when a node is lost', async () => {
    await using controlPlane = await startControlPlane({ forNodes: true });
    const nodes = await startNodes(controlPlane, { nodes: 2 });
    await using image = await buildProbeImage();
    await nodes.importImage(image.archive);
    const namespace = await controlPlane.createNamespace();
    await apply(controlPlane, namespace, await refusingWebhook(controlPlane, namespace));
    await runKubectl(controlPlane, ['wait', '-n', namespace, 'pod/hook', '--for=condition=Ready', '--timeout=300s']);
    await waitFor(
      async () => {
        const body = { metadata: { generateName: 'refused-' } };
        const { status } = await controlPlane.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, { body });
        return status === 400; // what a webhook's refusal becomes when it names no status
      },
      { what: 'the refusal' },
    );

    const [first, second] = nodes.nodes;
    await expect(nodes.killNode(first?.name ?? '')).rejects.toThrow();
    await nodes.killNode(second?.name ?? '');
    expect(existsSync(`/proc/${second?.pid}`)).toBe(false);
    expect(await controlPlane.request('GET', '/readyz')).toMatchObject({ status: 200 });
  });

  test('end with the process that keeps them, and their leftovers are removed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-by-hand-'));
    const cluster = await bringUpDetached({ tier: 2, nodes: 1, folder, onProgress: () => {} });
    const processes = recordedProcesses(cluster.state.path);
    expect(processes.every(isAlive)).toBe(true);
    process.kill(cluster.keeper.pid, 'SIGKILL');
    await waitFor(() => !processes.some(isAlive), { what: 'all processes dead' });
    await bringDown(folder);
    expect(await traces({ ...cluster.state, link: undefined })).toEqual({ folder: false, cgroups: false, link: false });
    await rm(folder, { recursive: true });
  });
});
