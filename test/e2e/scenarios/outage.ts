import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ControlPlane } from '../../cluster/index.ts';
import { killProgram } from '../kit/containers.ts';
import { createClient, fleetServes, type GatewayPod, gatewayPods, scaleFleet } from '../kit/gateways.ts';
import { GATEHOUSE, isTrue, mergePatch, pathOf, readObject } from '../kit/kube.ts';
import type { LoadReport } from '../kit/load/index.ts';
import { leaderOf, operatorIsReady } from '../kit/operator.ts';
import { createTeam } from '../kit/team.ts';
import { startTraffic } from '../kit/traffic.ts';
import { eventually } from '../kit/wait.ts';

const OUTAGE_MS = 60_000;
/** When the container is killed, counted from the beginning of the outage. */
const KILL_AFTER_MS = 10_000;

export function outages(controlPlane: () => ControlPlane): void {
  describe('an outage of the control plane', () => {
    test('stops no traffic, not even for a gateway that has to start meanwhile', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      await scaleFleet(cluster, 3);
      const pods = await gatewayPods(cluster);
      const [victim] = pods;
      if (victim === undefined) throw new Error('There is no gateway');
      await using client = createClient();
      const serves = async ({ url }: GatewayPod): Promise<boolean> =>
        (await client.chat(url, team).catch(() => undefined))?.status === 200;
      await using load = await startTraffic(team, Object.fromEntries(pods.map(({ name, url }) => [name, url])));

      killProgram('/app/operator.js', await leaderOf(cluster));
      await cluster.apiServer.stop();
      await using _back = { [Symbol.asyncDispose]: () => cluster.apiServer.start() }; // for the scenarios after this one
      const outage = pause(OUTAGE_MS);
      await pause(KILL_AFTER_MS);
      const killedAt = Date.now();
      killProgram('/app/gateway.js', victim.name);
      await eventually('the gateway gone', async () => !(await serves(victim)));
      await eventually('the gateway back', () => serves(victim));
      const backAt = Date.now();
      console.log(
        `a gateway killed while the API server was away is back after ${((backAt - killedAt) / 1000).toFixed(1)} s`,
      );
      await outage;
      expect(await serves(victim)).toBe(true);

      await cluster.apiServer.start();
      const edit = { spec: { config: { provider: '@second' } } };
      const edited = pathOf(GATEHOUSE, team.name, 'gatewayconfigs/main');
      // The first requests may fail: the webhook's endpoints are those from before the outage.
      await eventually('an accepted edit', () =>
        mergePatch(cluster, edited, edit).then(
          () => true,
          () => false,
        ),
      );
      await statusesAreRight(cluster, team.name);
      expectOnlyFrom(await load.finish(), victim.name, { from: killedAt, to: backAt });
      for (const pod of pods) expect((await client.chat(pod.url, team)).headers['x-gw-provider']).toBe('groq');
    });
  });
}

/** The new generation is everywhere, every gateway counts, and two operators stand ready. */
async function statusesAreRight(cluster: ControlPlane, namespace: string): Promise<void> {
  const startedAt = performance.now();
  const passed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const edited = pathOf(GATEHOUSE, namespace, 'gatewayconfigs/main');
  const ready = async (): Promise<boolean> => isTrue(await readObject(cluster, edited), 'Ready');
  await eventually('the edited config is served', ready);
  const config = passed();
  // Until then the counts are those from before the outage.
  await fleetServes(cluster, 3);
  const fleet = passed();
  await operatorIsReady(cluster, 2);
  const operator = passed();
  console.log(`after the outage: config served ${config}, fleet 3/3 ${fleet}, operators ready ${operator} (goal 10 s)`);
}

/** Nothing failed but what went to this very pod, at this time. */
function expectOnlyFrom(report: LoadReport, pod: string, { from, to }: { from: number; to: number }): void {
  const { requests, streams, mishaps } = report;
  const others = mishaps.filter(({ target, failedAt, sentAt }) => target !== pod || failedAt < from || sentAt > to);
  expect(others).toEqual([]);
  const failed = [requests, streams].map(({ started, ok }) => started - ok);
  console.log(
    `traffic: ${requests.ok} requests and ${streams.ok} streams good; of ${pod} ${failed.join(' and ')} failed`,
  );
}
