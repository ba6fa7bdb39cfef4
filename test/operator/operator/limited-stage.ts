/** A stage whose pods share a Redis, with a config that every key uses. */
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../kit/redis.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../../kit/resources.ts';
import { apply } from './objects.ts';
import { startOperator } from './operator-process.ts';
import { type PodProcess, runPods } from './pods.ts';
import { type Stage, setStage } from './stage.ts';

export interface LimitedStage extends AsyncDisposable {
  readonly stage: Stage;
  readonly pods: readonly PodProcess[];
  readonly redis: RedisServer;
  readonly mock: MockProvider;
  kubectlApply(object: object): Promise<string>;
  /** A key that every pod serves; `over` are further members of its spec. */
  servedKey(name: string, over?: object): Promise<string>;
}

export interface LimitedStageOptions {
  readonly redis?: RedisServerOptions;
  /** Further environment of the gateways. */
  readonly variables?: Readonly<Record<string, string>>;
}

export async function startLimitedStage(
  cluster: ControlPlaneAccess,
  replicas: number,
  options: LimitedStageOptions = {},
): Promise<LimitedStage> {
  await using parts = new AsyncDisposableStack();
  const mock = await createMockProvider();
  parts.defer(() => mock.close());
  const redis = parts.use(await startRedis(options.redis));
  const stage = parts.use(await setStage(cluster, { replicas }));
  await apply(cluster, mockSecretResource(stage.tenant));
  await apply(cluster, mockConfigResource(stage.tenant, { upstream: mock.url, overrideParams: { model: 'mock' } }));
  parts.use(await startOperator(stage.setup));
  const variables = { REDIS_URL: redis.url, ...options.variables };
  const pods = await runPods(stage, { count: replicas, variables });
  for (const pod of pods) parts.use(pod);
  const kubectlApply = (object: object): Promise<string> =>
    runKubectl(cluster, ['apply', '-f', '-'], { input: JSON.stringify(object) });
  const owned = parts.move();
  return {
    stage,
    pods,
    redis,
    mock,
    kubectlApply,
    servedKey: async (name, over = {}) => {
      const key = `gwk_of_${name}`;
      const object = apiKeyResource(stage.tenant, name, key);
      await kubectlApply({ ...object, spec: { ...object.spec, ...over } });
      const ready = pods.map((pod) =>
        waitFor(async () => (await pod.ask(key)) === 'mock', { what: `${name} on ${pod.pod}` }),
      );
      await Promise.all(ready);
      return key;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
