import { freePort } from './free-port.ts';
import { ask, type RedisServer, startRedis } from './redis.ts';
import { waitFor } from './wait-for.ts';

export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly RedisServer[];
}

const NODES = 3;
const SLOTS = 16_384;

/** Three masters that share the slots, on loopback and random ports. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const busPorts = await Promise.all(Array.from({ length: NODES }, freePort));
  const nodes = await Promise.all(busPorts.map((clusterPort) => startRedis({ clusterPort })));
  const dispose = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  };
  try {
    await join(nodes, busPorts);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { nodes, [Symbol.asyncDispose]: dispose };
}

async function join(nodes: readonly RedisServer[], busPorts: readonly number[]): Promise<void> {
  const per = Math.ceil(SLOTS / NODES);
  for (const [i, { port }] of nodes.entries()) {
    await ask(port, `CLUSTER SET-CONFIG-EPOCH ${i + 1}\r\n`);
    await ask(port, `CLUSTER ADDSLOTSRANGE ${i * per} ${Math.min(SLOTS, (i + 1) * per) - 1}\r\n`);
    if (i > 0) await ask(port, `CLUSTER MEET 127.0.0.1 ${nodes[0]?.port} ${busPorts[0]}\r\n`);
  }
  const isWhole = async ({ port }: RedisServer): Promise<boolean> => {
    const info = await ask(port, 'CLUSTER INFO\r\n');
    return info.includes('cluster_state:ok') && info.includes(`cluster_size:${NODES}`);
  };
  await waitFor(async () => (await Promise.all(nodes.map(isWhole))).every(Boolean), { what: 'the cluster is whole' });
}
