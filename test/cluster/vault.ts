/** A real HashiCorp Vault in memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ensurePrograms, pathOf } from './build.ts';

const READY = z.object({ address: z.url(), token: z.string() });

export interface Vault extends AsyncDisposable {
  readonly address: string;
  /** One call below /v1 with the root token; fails unless Vault says that all is well. */
  call(method: 'POST' | 'GET', path: string, body?: object): Promise<unknown>;
}

export async function startVault(): Promise<Vault> {
  const program = pathOf(await ensurePrograms(['vault']), 'vault');
  const child = spawn(program, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  const ended = once(child, 'close');
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [undefined])]);
  if (typeof line !== 'string') throw new Error(`Vault did not start: ${await errors}`);
  const { address, token } = READY.parse(JSON.parse(line));
  return {
    address,
    call: async (method, path, body) => {
      const answer = await fetch(`${address}/v1/${path}`, {
        method,
        headers: { 'x-vault-token': token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const said = await answer.text();
      if (!answer.ok) throw new Error(`Vault answered ${method} ${path} with ${answer.status}: ${said}`);
      return said === '' ? undefined : JSON.parse(said);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
