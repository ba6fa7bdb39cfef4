/** The default fleet and its pods, each reached by its own address. */
import { Agent } from 'undici';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { corePath, GATEHOUSE, listObjects, mergePatch, pathOf, readObject, textAt } from './kube.ts';
import type { Team } from './team.ts';
import { eventually } from './wait.ts';

export const FLEET_NAMESPACE = 'gatehouse-gateways';
export const FLEET = pathOf(GATEHOUSE, FLEET_NAMESPACE, 'gatewayfleets/default');
const PODS = `${corePath(FLEET_NAMESPACE, 'pods')}?labelSelector=gatehouse.dev/fleet%3Ddefault`;
const PORT = 8787;

export interface GatewayPod {
  readonly name: string;
  readonly url: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Those that are there and do not end. */
export async function gatewayPods(controlPlane: ControlPlaneAccess): Promise<readonly GatewayPod[]> {
  const pods = await listObjects(controlPlane, PODS);
  return pods
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && textAt(status, 'podIP') !== '')
    .map(({ metadata, status }) => ({ name: metadata.name, url: `http://${textAt(status, 'podIP')}:${PORT}` }));
}

/** Base URL of the fleet's Service, by its address: this process is not in the cluster's DNS. */
export async function serviceUrl(controlPlane: ControlPlaneAccess): Promise<string> {
  const service = await readObject(controlPlane, corePath(FLEET_NAMESPACE, 'services/default-gateway'));
  return `http://${textAt(service.spec, 'clusterIP')}:${PORT}`;
}

/** Sets the number of pods and waits until so many, and no others, are there and serve. */
export async function scaleFleet(controlPlane: ControlPlaneAccess, replicas: number): Promise<void> {
  await mergePatch(controlPlane, FLEET, { spec: { replicas } });
  await fleetServes(controlPlane, replicas);
}

interface Drain {
  /** How long a pod that ends keeps accepting. */
  readonly drainDelaySeconds?: number;
  /** How long it may then finish its streams. */
  readonly drainTimeoutSeconds?: number;
}

/** Sets how pods end; pods with other settings are replaced. */
export const setDrain = (controlPlane: ControlPlaneAccess, spec: Drain): Promise<void> =>
  mergePatch(controlPlane, FLEET, { spec });

/** Waits until the fleet has so many pods, all on the published Snapshot, and none that still ends. */
export const fleetServes = (controlPlane: ControlPlaneAccess, replicas: number): Promise<true> =>
  eventually(`${replicas}/${replicas} pods`, async () => {
    const { metadata, status } = await readObject(controlPlane, FLEET);
    const { observedGeneration, replicas: all, readyReplicas: ready, programmedReplicas: programmed } = status;
    const counted = all === replicas && ready === replicas && programmed === replicas;
    return (
      counted &&
      observedGeneration === metadata.generation &&
      (await listObjects(controlPlane, PODS)).length === replicas
    );
  });

export interface Client extends AsyncDisposable {
  /** One chat completion. */
  chat(url: string, team: Pick<Team, 'key'>, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** A client of gateways that keeps its connections. */
export function createClient(): Client {
  const agent = new Agent({ headersTimeout: 120_000, connect: { timeout: 60_000 } });
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }] });
  return {
    chat: async (origin, { key }, headers = {}) => {
      const answer = await agent.request({
        origin,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      });
      return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}
