/** The workspace of a folder that names none: what has no namespace belongs to it. */
import { API_VERSION } from '@gatehouse/crds/kinds';
import type { WorldObject } from '@gatehouse/operator/translate';
import type { FileSet } from './file-set.ts';
import { type FileObject, inNamespace } from './objects.ts';

const NAME = 'default';

export const IMPLIED_WORKSPACE: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Workspace',
  metadata: { name: NAME, generation: 1 },
  spec: { namespace: NAME },
};

export interface Implied {
  /** Whether the workspace is implied: no file has a Workspace or an Organisation. */
  readonly isImplied: boolean;
  /** The object, in the namespace to which it belongs. */
  place(object: FileObject): FileObject;
}

export function withImpliedWorkspace(files: FileSet): Implied {
  for (const { content } of files.values()) {
    if (content.objects.some(({ kind }) => kind === 'Workspace' || kind === 'Organisation')) {
      return { isImplied: false, place: (object) => object };
    }
  }
  return {
    isImplied: true,
    place: (object) => (object.inDefaultNamespace ? inNamespace(object, NAME) : object),
  };
}
