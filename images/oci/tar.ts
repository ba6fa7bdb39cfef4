/** Tar archives whose bytes depend on the entries alone: sorted, no times, everything owned by root. POSIX ustar. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export type TarEntry =
  | { readonly path: string; readonly type: 'folder'; readonly mode: number }
  | { readonly path: string; readonly type: 'link'; readonly target: string }
  | { readonly path: string; readonly type: 'file'; readonly mode: number; readonly content: Buffer }
  /** A file of this machine, read while the archive is written. */
  | { readonly path: string; readonly type: 'copy'; readonly mode: number; readonly source: string };

const BLOCK = 512;
const TYPE_FLAGS = { file: '0', copy: '0', link: '2', folder: '5' } as const satisfies Record<TarEntry['type'], string>;
const MAX_OCTAL_SIZE = 8 ** 11 - 1; // ustar: eleven octal digits

/** The bytes of an archive, entry by entry in the order of their paths. */
export async function* tarBytes(entries: Iterable<TarEntry>): AsyncGenerator<Buffer> {
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const size = await sizeOf(entry);
    yield header(entry, size);
    let written = 0;
    for await (const chunk of contentOf(entry)) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new Error(`${entry.path} changed while it was read`);
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function sizeOf(entry: TarEntry): Promise<number> {
  if (entry.type === 'file') return entry.content.length;
  return entry.type === 'copy' ? (await stat(entry.source)).size : 0;
}

async function* contentOf(entry: TarEntry): AsyncGenerator<Buffer> {
  if (entry.type === 'file') yield entry.content;
  if (entry.type === 'copy') yield* createReadStream(entry.source, { highWaterMark: 2 ** 20 });
}

function header(entry: TarEntry, size: number): Buffer {
  if (size > MAX_OCTAL_SIZE) throw new Error(`${entry.path} is too big for an archive`);
  const [prefix, name] = splitPath(entry.type === 'folder' ? `${entry.path}/` : entry.path);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(entry.type === 'link' ? 0o777 : entry.mode, 7), 100);
  block.write(octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 108); // uid, gid, size, mtime
  block.write(' '.repeat(8) + TYPE_FLAGS[entry.type], 148);
  if (entry.type === 'link') block.write(fitting(entry.target), 157);
  block.write('ustar\u000000', 257);
  block.write(octal(0, 7) + octal(0, 7), 329); // device numbers
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** At most 100 bytes in the name, the folders before it in the prefix. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  const from = Math.max(0, path.length - 101);
  const slash = path.indexOf('/', from);
  const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
  if (slash < 1 || name === '' || Buffer.byteLength(name) > 100 || Buffer.byteLength(prefix) > 155) {
    throw new Error(`${path} is too long for an archive`);
  }
  return [prefix, name];
}

function fitting(target: string): string {
  if (Buffer.byteLength(target) > 100) throw new Error(`The link target ${target} is too long for an archive`);
  return target;
}
