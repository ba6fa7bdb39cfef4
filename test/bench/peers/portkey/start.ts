import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../../bench.ts';
import { freePort } from '../../ports.ts';
import { createPeer, type Missing, missing, originOf, type Peer } from '../peer.ts';

const NAME = 'Portkey OSS 1.15.2';
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = join(FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** Starts Portkey, installed into this folder on first use, in front of the upstream on that port. */
export async function startPortkey({ processes, say }: Bench, upstreamPort: number): Promise<Peer | Missing> {
  try {
    if (!existsSync(PROGRAM)) {
      say(`installing ${NAME}`);
      // The whole environment: it may name the registry and the authorities that npm trusts.
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
      await processes.run('npm', { args, env: process.env, cwd: FOLDER });
    }
    const port = await freePort();
    const running = await processes.startListener(process.execPath, port, {
      args: [PROGRAM, `--port=${port}`, '--headless'],
      env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
      cwd: FOLDER,
    });
    const headers = {
      Authorization: 'Bearer sk-bench',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${originOf(upstreamPort)}/v1`,
    };
    return createPeer(NAME, running, { port, headers });
  } catch (error) {
    return missing(NAME, error);
  }
}
