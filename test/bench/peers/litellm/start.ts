import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../../bench.ts';
import { freePort } from '../../ports.ts';
import { createPeer, type Missing, missing, originOf, type Peer } from '../peer.ts';

const NAME = 'LiteLLM 1.106.0';
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = join(FOLDER, '.venv/bin/litellm');
/** It imports a lot. */
const READY_TIMEOUT_MS = 120_000;
const KEY = 'sk-bench';

// JSON is YAML
const configFor = (upstreamPort: number): string =>
  JSON.stringify({
    model_list: [
      {
        model_name: 'gpt-4o',
        litellm_params: { model: 'openai/gpt-4o', api_base: `${originOf(upstreamPort)}/v1`, api_key: KEY },
      },
    ],
    litellm_settings: { telemetry: false },
    general_settings: { master_key: KEY },
  });

/** Starts LiteLLM with one worker, installed into this folder on first use, in front of the upstream on that port. */
export async function startLitellm(bench: Bench, upstreamPort: number): Promise<Peer | Missing> {
  const { processes, directory } = bench;
  try {
    if (!existsSync(PROGRAM)) await install(bench);
    const port = await freePort();
    const file = join(directory, 'litellm.yaml');
    await writeFile(file, configFor(upstreamPort));
    const running = await processes.startListener(PROGRAM, port, {
      args: ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
      cwd: directory,
      readyTimeoutMs: READY_TIMEOUT_MS,
    });
    return createPeer(NAME, running, { port, headers: { Authorization: `Bearer ${KEY}` } });
  } catch (error) {
    return missing(NAME, error);
  }
}

async function install({ processes, say }: Bench): Promise<void> {
  say(`installing ${NAME}`);
  await processes.run('python3', { args: ['-m', 'venv', '.venv'], cwd: FOLDER });
  await processes.run(join(FOLDER, '.venv/bin/pip'), { args: ['install', '-q', '-r', 'requirements.txt'], cwd: FOLDER });
}
