/** The file for keys that the management API makes: they are in one answer and nowhere else. */
import { open } from 'node:fs/promises';
import { systemErrorText } from '../preflight.ts';
import { CommandError } from '../shell.ts';
import { toYaml } from './yaml.ts';

/** Only its owner reads the file. */
const MODE = 0o600;

export interface NewKeys extends AsyncDisposable {
  /** Appends a Secret with the key, and waits until it is on the disk. */
  add(name: string, key: string): Promise<void>;
}

/** Throws CommandError where the file is there already or cannot be written. */
export async function openNewKeys(path: string): Promise<NewKeys> {
  const file = await open(path, 'wx', MODE).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(`${path} ${isThere ? 'exists already' : `cannot be written: ${systemErrorText(error)}`}`);
  });
  return {
    add: async (name, key) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { key } };
      await file.write(`---\n${toYaml(secret)}\n`);
      await file.datasync();
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
