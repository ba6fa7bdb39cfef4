import { describe, test } from 'vitest';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { type Answer, createClient, type GatewayPod, gatewayPods, serviceUrl } from '../kit/gateways.ts';
import { applyObjects, corePath, deleteObject, GATEHOUSE, mergePatch, pathOf } from '../kit/kube.ts';
import { EFFECT_GOAL_MS, say, timesUntil } from '../kit/measure.ts';
import { apiKey, createTeam, newKey, type Team } from '../kit/team.ts';
import { expectFlawless, startTraffic } from '../kit/traffic.ts';
import { eventually } from '../kit/wait.ts';

const ROUNDS = 10;
/** Makes the mock provider say with which credential it was called. */
const SHOW_CREDENTIAL = { 'x-mock-echo-headers': '1', 'x-gw-forward-headers': 'x-mock-echo-headers' };

const credentialSeenBy = ({ headers }: Answer): unknown =>
  JSON.parse(String(headers['x-mock-request-headers'] ?? '{}')).authorization;

/** A change under traffic: what is written in a round, and how a gateway shows it. */
interface Change {
  readonly what: string;
  readonly goesBeforehand?: () => Promise<unknown>;
  readonly write: (round: number) => Promise<unknown>;
  readonly shows: (pod: GatewayPod, round: number) => Promise<boolean>;
}

export function edits(controlPlane: () => ControlPlaneAccess): void {
  describe('a change under traffic', () => {
    test('takes effect on every pod at once, and costs no request and no stream', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      const pods = await gatewayPods(cluster);
      await using client = createClient();
      await using load = await startTraffic(team, { service: await serviceUrl(cluster) });
      for (const change of changesOf(cluster, team, client)) {
        await change.goesBeforehand?.();
        const times: number[] = [];
        for (let round = 1; round <= ROUNDS; round += 1) {
          await change.write(round);
          times.push(...(await timesUntil(pods, (pod) => change.shows(pod, round))));
        }
        say(`${change.what}, on each of ${pods.length} pods`, times, EFFECT_GOAL_MS);
      }
      await eventually('open streams to the end', async () => (await load.report()).openStreams > 30);
      expectFlawless(await load.finish());
    });
  });
}

function changesOf(
  cluster: ControlPlaneAccess,
  team: Team,
  client: ReturnType<typeof createClient>,
): readonly Change[] {
  const keys = Array.from({ length: ROUNDS + 1 }, newKey);
  const providerOf = (round: number) => (round % 2 === 1 ? 'second' : 'first');
  return [
    {
      what: 'an edited config',
      write: (round) =>
        mergePatch(cluster, pathOf(GATEHOUSE, team.name, 'gatewayconfigs/main'), {
          spec: { config: { provider: `@${providerOf(round)}` } },
        }),
      shows: async ({ url }, round) => {
        const { headers } = await client.chat(url, team);
        return headers['x-gw-provider'] === (providerOf(round) === 'first' ? 'openai' : 'groq');
      },
    },
    {
      what: 'a rotated provider Secret',
      write: (round) =>
        mergePatch(cluster, corePath(team.name, 'secrets/provider'), {
          stringData: { 'api-key': `provider-key-${round}` },
        }),
      shows: async ({ url }, round) =>
        credentialSeenBy(await client.chat(url, team, SHOW_CREDENTIAL)) === `Bearer provider-key-${round}`,
    },
    {
      what: 'a revoked ApiKey',
      goesBeforehand: async () => {
        await applyObjects(
          cluster,
          keys.map((key, i) => apiKey(team.name, `leaver-${i}`, key)),
        );
        await everyPodKnows(cluster, client, keys);
      },
      write: (round) => deleteObject(cluster, pathOf(GATEHOUSE, team.name, `apikeys/leaver-${round}`)),
      shows: async ({ url }, round) => (await client.chat(url, { key: keys[round] ?? '' })).status === 401,
    },
  ];
}

async function everyPodKnows(
  cluster: ControlPlaneAccess,
  client: ReturnType<typeof createClient>,
  keys: readonly string[],
): Promise<void> {
  for (const { url } of await gatewayPods(cluster)) {
    for (const key of keys) {
      await eventually('a key that is known', async () => (await client.chat(url, { key })).status === 200);
    }
  }
}
