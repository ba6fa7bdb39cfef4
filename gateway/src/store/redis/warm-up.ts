import type { RedisClient } from './connection.ts';

/** Gives a server the scripts that will be run on it, so that the first request does not pay for that. */
export interface WarmUp {
  /** Whether the last one has ended, whatever came of it. */
  isDone(): boolean;
  /** Never rejects: a script that the server does not have is sent by the first call of it. */
  run(client: RedisClient): Promise<void>;
}

export interface WarmUpOptions {
  readonly scripts: readonly { readonly lua: string }[];
  /** Longest wait in ms. */
  readonly timeoutMs: number;
}

export function createWarmUp({ scripts, timeoutMs }: WarmUpOptions): WarmUp {
  let isDone = scripts.length === 0;
  let round = 0;

  return {
    isDone: () => isDone,
    run: async (client) => {
      if (scripts.length === 0) return;
      isDone = false;
      round += 1;
      const own = round;
      const expiry = Promise.withResolvers<void>();
      const timer = setTimeout(expiry.resolve, timeoutMs);
      const servers = 'nodes' in client ? client.nodes('master') : [client];
      const loads = servers.flatMap((server) => scripts.map(({ lua }) => server.script('LOAD', lua)));
      await Promise.race([Promise.allSettled(loads), expiry.promise]);
      clearTimeout(timer);
      if (own === round) isDone = true;
    },
  };
}
