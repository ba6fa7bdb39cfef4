import { describe, test } from 'vitest';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { fleetServes, gatewayPods, scaleFleet, serviceUrl, setDrain } from '../kit/gateways.ts';
import { createTeam } from '../kit/team.ts';
import { expectFlawless, startTraffic } from '../kit/traffic.ts';
import { eventually } from '../kit/wait.ts';

/** Longer than the nodes of a busy machine take to see that a pod is gone from a Service. */
const DELAY_SECONDS = 20;
/** Longer than any stream of the traffic. */
const DRAIN_SECONDS = 30;

export function rollouts(controlPlane: () => ControlPlaneAccess): void {
  describe('a fleet under traffic', () => {
    test('is updated pod by pod and scaled from 3 to 6 to 2 without a failed request or a cut stream', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      await setDrain(cluster, { drainDelaySeconds: DELAY_SECONDS });
      await scaleFleet(cluster, 3);
      await using load = await startTraffic(team, { service: await serviceUrl(cluster) });
      const before = new Set((await gatewayPods(cluster)).map(({ name }) => name));
      await setDrain(cluster, { drainTimeoutSeconds: DRAIN_SECONDS });
      await eventually('new pods only', async () =>
        (await gatewayPods(cluster)).every(({ name }) => !before.has(name)),
      );
      await fleetServes(cluster, 3);
      await scaleFleet(cluster, 6);
      await scaleFleet(cluster, 2);
      expectFlawless(await load.finish());
      await scaleFleet(cluster, 3);
    });
  });
}
