/** An installation under test: two operators behind a proxy that can fail, two gateways, and an edit that is counted. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { kubeconfigOf } from '../cluster/control-plane/credentials.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../cluster/index.ts';
import { type FaultProxy, startFaultProxy } from '../kit/fault-proxy.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../kit/resources.ts';
import {
  apply,
  type KubeThing,
  type PodProcess,
  read,
  remove,
  runPods,
  type Stage,
  setStage,
} from '../operator/operator/support.ts';
import { type SupervisedOperator, superviseOperator } from './supervisor.ts';

export const APP_KEY = 'gwk_a_key_of_the_chaos_tests';

export interface ChaosWorld extends AsyncDisposable {
  readonly cluster: ControlPlaneAccess;
  readonly stage: Stage;
  readonly proxy: FaultProxy;
  /** Restarted when they end, as a Deployment would. */
  readonly operators: readonly SupervisedOperator[];
  /** The gateways that run now. */
  readonly pods: ReadonlySet<PodProcess>;
  /** The number of the last edit. */
  readonly edited: number;
  /** The resourceVersion of the manifest that was put back last. */
  putBack: string | undefined;
  /** Writes the config with the next number as its model. */
  edit(): Promise<void>;
  /** Ends a gateway and its pod, and runs the pod that replaces it. */
  replacePod(pod: PodProcess): Promise<void>;
}

export const EDITED = { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'GatewayConfig' } as const;

/** The number of the edit in a model name; undefined when it is none. */
export function numberOf(model: unknown): number | undefined {
  const digits = /^model-(\d+)$/.exec(String(model))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const apiKeyOf = ({ tenant }: Stage, name: string, key: string): KubeThing => apiKeyResource(tenant, name, key);

const configOf = ({ tenant }: Stage, upstream: string, number: number): KubeThing =>
  mockConfigResource(tenant, { upstream, overrideParams: { model: `model-${number}` } });

/** The proxy accepts plain HTTP, over which a client sends a token only with `insecure-skip-tls-verify`. */
function throughProxy({ url }: FaultProxy, { caPem, adminToken }: ControlPlaneAccess): object {
  const kubeconfig = kubeconfigOf(url, caPem, adminToken);
  return { ...kubeconfig, clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true } }] };
}

/** Starts everything and waits until both gateways serve the first edit. `operators`: how many share the lease. */
export async function startChaosWorld({ operators: count = 2 } = {}): Promise<ChaosWorld> {
  const stack = new AsyncDisposableStack();
  try {
    const cluster = stack.use(sharedControlPlane());
    const mock = await createMockProvider();
    stack.defer(() => mock.close());
    const proxy = stack.use(await startFaultProxy(cluster));
    const stage = stack.use(await setStage(cluster, { replicas: 2 }));
    const kubeconfigPath = join(stage.folder, 'through-the-proxy.kubeconfig');
    await writeFile(kubeconfigPath, JSON.stringify(throughProxy(proxy, cluster)));
    await apply(cluster, mockSecretResource(stage.tenant));
    await apply(cluster, configOf(stage, mock.url, 0));
    await apply(cluster, apiKeyOf(stage, 'app', APP_KEY));
    const setup = { ...stage.setup, kubeconfigPath };
    const operators: SupervisedOperator[] = [];
    while (operators.length < count) operators.push(stack.use(await superviseOperator(setup)));
    const pods = new Set(await runPods(stage, { count: 2 }));
    stack.defer(async () => {
      await Promise.all([...pods].map((pod) => pod[Symbol.asyncDispose]()));
    });
    let edited = 0;
    const world: Omit<ChaosWorld, keyof AsyncDisposable> = {
      cluster,
      stage,
      proxy,
      operators,
      pods,
      putBack: undefined,
      get edited() {
        return edited;
      },
      edit: async () => {
        edited += 1;
        await apply(cluster, configOf(stage, mock.url, edited));
      },
      replacePod: async (pod) => {
        pods.delete(pod);
        await pod.gateway.kill();
        await remove(cluster, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: stage.fleets, name: pod.pod } });
        for (const next of await runPods(stage)) pods.add(next);
      },
    };
    const moved = stack.move();
    return Object.defineProperties(
      {} as ChaosWorld, // its members follow
      { ...Object.getOwnPropertyDescriptors(world), [Symbol.asyncDispose]: { value: () => moved.disposeAsync() } },
    );
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The config as the API server has it: its edit, and whether its status reports that edit as served. */
export async function configNow({
  cluster,
  stage,
}: ChaosWorld): Promise<{ readonly asked: number; readonly isProgrammed: boolean } | undefined> {
  const live = await read(cluster, { ...EDITED, metadata: { namespace: stage.tenant, name: 'main' } });
  const spec = live?.spec as
    | { readonly config?: { readonly overrideParams?: { readonly model?: string } } }
    | undefined;
  const asked = numberOf(spec?.config?.overrideParams?.model);
  if (live === undefined || asked === undefined) return undefined;
  const conditions = (live.status?.['conditions'] ?? []) as readonly {
    type: string;
    status: string;
    observedGeneration?: number;
  }[];
  const programmed = conditions.find(({ type }) => type === 'Programmed');
  const isProgrammed = programmed?.status === 'True' && programmed.observedGeneration === live.metadata.generation;
  return { asked, isProgrammed };
}
