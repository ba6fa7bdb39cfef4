/** A temporary folder with files, removed at the end of the block. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TempFolder extends Disposable {
  readonly path: string;
  /** Writes a file below the folder and returns its path. */
  write(name: string, text: string): string;
}

export function tempFolder(files: Readonly<Record<string, string>> = {}): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const write = (name: string, text: string): string => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
