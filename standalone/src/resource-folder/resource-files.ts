/** Reads files once, for commands that do not serve them. */
import { formatPath } from '@gatehouse/crds';
import { type Lookup, objectKey, type SecretData } from '@gatehouse/operator/translate';
import { updateFiles } from './file-set.ts';
import { listFiles } from './listing.ts';
import { byPosition, type FileProblem } from './problem.ts';
import type { LocatedObject } from './remarks.ts';
import { createEnvironmentSecrets, readSecret } from './secrets.ts';
import { ORGANISATION_NAMESPACE } from './world-source.ts';

export interface ResourceFiles {
  /** In the order of files and documents; Secrets and Namespaces are among them. */
  readonly objects: readonly LocatedObject[];
  readonly problems: readonly FileProblem[];
  /** By `namespace/name`, completed by the variables of the environment. */
  readonly secrets: Lookup<SecretData>;
}

/** `paths` are files and folders. */
export async function readResourceFiles(
  paths: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Promise<ResourceFiles> {
  const listing = await listFiles(paths);
  const signatures = new Map([...listing.files].map(([path, { signature }]) => [path, signature]));
  const files = await updateFiles(new Map(), signatures, ORGANISATION_NAMESPACE);
  const unreadable = [...listing.unreadable].map(
    ([file, code]): FileProblem => ({ file, line: 1, column: 1, message: `cannot be read (${code})` }),
  );
  const objects = [...files].flatMap(([file, { content }]) => content.objects.map((object) => ({ file, object })));
  const { data, problems } = secretsOf(objects);
  const found = [...files.values()].flatMap(({ problems: own }) => own.map(({ problem }) => problem));
  return {
    objects,
    problems: [...unreadable, ...found, ...problems].sort(byPosition),
    secrets: createEnvironmentSecrets(variables)(data),
  };
}

function secretsOf(objects: readonly LocatedObject[]) {
  const data = new Map<string, SecretData>();
  const problems: FileProblem[] = [];
  for (const { file, object } of objects) {
    if (object.kind !== 'Secret') continue;
    const read = readSecret(object.value);
    data.set(objectKey(object.value.metadata.namespace, object.name), read.data);
    for (const { path, message } of read.problems) {
      problems.push({ file, ...object.locate(path), object: `Secret/${object.name}`, path: formatPath(path), message });
    }
  }
  return { data, problems };
}
