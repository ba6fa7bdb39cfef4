import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../images/bundle.ts';
import type { Bench } from '../../bench.ts';
import type { Running } from '../../processes.ts';
import type { Target } from '../../target.ts';
import { createPeer, originOf, type Peer } from '../peer.ts';
import { benchFiles } from './entries.ts';

const KEY = 'gwk_bench';

/** What is asked: by a target without its port. */
export type Asked = Omit<Target, 'host' | 'port' | 'headers'>;

export interface ManagementPeers {
  readonly plain: Peer;
  readonly gatehouse: Peer;
}

interface Ready {
  readonly port: number;
}
type Listening = Running & { readonly ready: Ready };

/** The management API over a folder of its own. */
export async function startManagement(bench: Bench): Promise<Listening> {
  const folder = join(bench.directory, 'resources');
  await mkdir(folder);
  for (const [name, text] of benchFiles()) await writeFile(join(folder, name), text);
  return bench.processes.startNode<Ready>(await bundled(bench, 'main'), {
    env: { NODE_ENV: 'production', FOLDER: folder },
  });
}

/** The management API for one call, and the yardstick that gives the same answer to it. */
export async function peersOf(
  bench: Bench,
  management: Listening,
  { asked, body }: { readonly asked: Asked; readonly body: string },
): Promise<ManagementPeers> {
  const { method = 'POST', path } = asked;
  const answer = await fetch(`${originOf(management.ready.port)}${path.replace('{key}', '1')}`, {
    method,
    headers: { 'x-gw-api-key': KEY, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  const plain = await bench.processes.startNode<Ready>(await bundled(bench, 'plain'), {
    env: { NODE_ENV: 'production', ANSWER: text },
  });
  const headers = { 'X-Gw-Api-Key': KEY };
  return {
    plain: createPeer('plain fastify', plain, { ...asked, headers, port: plain.ready.port }),
    gatehouse: createPeer('Gatehouse', management, { ...asked, headers, port: management.ready.port }),
  };
}

async function bundled({ directory }: Bench, name: 'main' | 'plain'): Promise<string> {
  const file = join(directory, `management-${name}.mjs`);
  if (!existsSync(file)) await bundleFile(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), file);
  return file;
}
