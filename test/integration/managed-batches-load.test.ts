/** Large files pass through the gateway, whatever its memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { open, send } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';
import { watchMemory } from '../kit/watch-memory.ts';

const MIB = 1024 * 1024;
const SIZE = 512;
/** Buffers of sockets and files, and garbage that was not collected yet: up to 162 MiB while the machine has other work. */
const ROOM = 192 * MIB;

const HEAD = '--limit\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
const FILE = '--limit\r\nContent-Disposition: form-data; name="file"; filename="large.jsonl"\r\n\r\n';

async function* form(): AsyncGenerator<Buffer> {
  yield Buffer.from(HEAD + FILE);
  const piece = Buffer.alloc(MIB, 'a');
  for (let i = 0; i < SIZE; i += 1) yield piece;
  yield Buffer.from('\r\n--limit--\r\n');
}

test('a file of 512 MiB is uploaded and read again in a fraction of its size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  try {
    await using world = await startWorld({
      env: { GATEHOUSE_BATCH_DIR: folder, GATEHOUSE_BATCH_AT_PROVIDERS: 'false' },
    });
    const memory = watchMemory();
    const headers = { 'x-gw-api-key': KEY, 'content-type': 'multipart/form-data; boundary=limit' };
    const body = Readable.from(form(), { objectMode: false });
    const uploaded = await send(`${world.url}/v1/files`, { method: 'POST', headers, body });
    expect([uploaded.status, uploaded.json().bytes]).toEqual([200, SIZE * MIB]);
    const { response } = await open(`${world.url}/v1/files/${uploaded.json().id}/content`, { headers });
    let bytes = 0;
    for await (const piece of response) bytes += (piece as Buffer).length; // no encoding is set
    expect(bytes).toBe(SIZE * MIB);
    expect(memory.growth()).toBeLessThan(ROOM);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
