import { open } from 'node:fs/promises';

/** Tokens are a few KiB, shared configuration files some tens. */
const MAX_FILE_BYTES = 256 * 1024;

/** The start of a text file, trimmed; undefined when it cannot be read. Units: at most 256 KiB. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } catch {
    return undefined; // a folder, for example
  } finally {
    await file.close();
  }
}
