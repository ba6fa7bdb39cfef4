import { createInflateRaw } from 'node:zlib';
import { memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { AvroProblem } from './problem.ts';
import type { Quota } from './quota.ts';

/** Units: bytes. */
const CHUNK = 64 * 1024;

export interface InflateLimits {
  readonly maxBytes: number;
  readonly memory: ByteAccount;
  readonly quota: Quota;
}

/**
 * What `packed` stands for. Counted in `memory` while it is unpacked, chunk by chunk, and by its length once it is: the caller gives that
 * back. Rejects with AvroProblem where that is more than `maxBytes` or the quota, or `packed` is malformed, or with MEMORY_EXHAUSTED.
 */
export async function inflated(packed: Buffer, { maxBytes, memory, quota }: InflateLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let [bytes, counted] = [0, 0];
  const count = (more: number): void => {
    if (!memory.take(more)) throw memoryExhausted();
    counted += more;
  };
  try {
    for await (const chunk of chunksOf(packed)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new AvroProblem('a block is unpacked to more than its limits');
      quota.unpacked(chunk.length);
      count(chunk.length);
      chunks.push(chunk);
    }
    const [only] = chunks;
    if (only !== undefined && chunks.length === 1) return only;
    count(bytes);
    const whole = Buffer.concat(chunks, bytes);
    memory.give(bytes);
    return whole;
  } catch (error) {
    memory.give(counted);
    throw error;
  }
}

async function* chunksOf(packed: Buffer): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: CHUNK });
  stream.end(packed);
  try {
    for await (const chunk of stream) yield chunk;
  } catch {
    throw new AvroProblem('a block cannot be unpacked');
  }
}
