/** The versions of the clients, from the lock files that they are installed with. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What is installed together. Libraries that want another version of an SDK than the others do are apart. */
export type Collection =
  | 'javascript'
  | 'python'
  | 'litellm'
  | 'llamaindex'
  | 'pydanticai'
  | 'instructor'
  | 'schemathesis'
  | 'agents';

const LOCKS: Readonly<Record<Collection, string>> = {
  javascript: 'javascript/package-lock.json',
  python: 'python/requirements.txt',
  litellm: 'python/requirements-litellm.txt',
  llamaindex: 'python/requirements-llamaindex.txt',
  pydanticai: 'python/requirements-pydanticai.txt',
  instructor: 'python/requirements-instructor.txt',
  schemathesis: 'python/requirements-schemathesis.txt',
  agents: 'agents/package-lock.json',
};

const NPM_LOCK = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** Of all clients. */
export const COLLECTIONS = Object.keys(LOCKS) as readonly Collection[]; // its type names them all

/** The lock file of a collection, below this folder. */
export const lockPathOf = (collection: Collection): string => LOCKS[collection];

/** The text of the lock file of a collection. */
export const lockOf = (collection: Collection): string =>
  readFileSync(new URL(LOCKS[collection], import.meta.url), 'utf8');

/** Whether a collection is installed with pip, or else with npm. */
export const isPython = (collection: Collection): boolean => LOCKS[collection].endsWith('.txt');

/** The version of a package that a collection is installed with. Errors: a package that the lock file does not have. */
export function versionOf(collection: Collection, name: string): string {
  const lock = lockOf(collection);
  const version = isPython(collection)
    ? new Map(lock.split('\n').map((line) => [line.split('==')[0], line.split('==')[1]])).get(name)
    : NPM_LOCK.parse(JSON.parse(lock)).packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new Error(`${name} is not in the lock file of ${collection}`);
  return version;
}
