import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@gatehouse/crds';
import type { Tools } from './bench.ts';

/** Debian puts daemons where a user's PATH does not look. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Finds nginx, wrk and Redis; the error tells how to install what is missing. */
export function findTools(path: string): Result<Tools, string> {
  const folders = [...path.split(':'), ...MORE_FOLDERS];
  const nginx = find('nginx', folders);
  const wrk = find('wrk', folders);
  const redis = find('redis-server', folders);
  if (nginx !== undefined && wrk !== undefined && redis !== undefined) return ok({ nginx, wrk, redis });
  const packages = 'nginx-light wrk redis-server';
  return err(`The bench needs nginx, wrk and redis-server. On Debian and Ubuntu: apt-get install -y ${packages}`);
}

const find = (name: string, folders: readonly string[]): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
