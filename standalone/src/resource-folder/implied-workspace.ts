/** The workspace of a folder that names none: what has no namespace belongs to it. */
import { API_VERSION } from '@gatehouse/crds/kinds';
import type { WorldObject } from '@gatehouse/operator/translate';
import type { FileSet, LoadedFile } from './file-set.ts';
import { type FileObject, inNamespace, isTenancy } from './objects.ts';

const NAME = 'default';

const IMPLIED_WORKSPACE: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Workspace',
  metadata: { name: NAME, generation: 1 },
  spec: { namespace: NAME },
};

export interface Implied {
  /** Undefined where the files name one, or may have been meant to. */
  readonly workspace: WorldObject | undefined;
  /** The object, in the namespace to which it belongs. */
  place(object: FileObject): FileObject;
}

/** `isComplete`: no file or folder is left out because it cannot be read. */
export type ImplyWorkspace = (files: FileSet, isComplete: boolean) => Implied;

const NONE: Implied = { workspace: undefined, place: (object) => object };

/**
 * The workspace is implied where no file has a Workspace or an Organisation, and no file or document can have been meant to. While
 * that is in doubt, objects that were in the workspace stay there, and no others are taken from the organisation into it.
 */
export function createImpliedWorkspace(): ImplyWorkspace {
  let members: ReadonlySet<string> | undefined;
  return (files, isComplete) => {
    const objects = [...files.values()].flatMap(({ content }) => content.objects);
    if (objects.some(({ kind }) => isTenancy(kind))) members = undefined;
    else if (isComplete && [...files.values()].every(isClear)) {
      members = new Set(objects.filter(({ inDefaultNamespace }) => inDefaultNamespace).map(idOf));
    }
    return members === undefined ? NONE : withMembers(members);
  };
}

const idOf = ({ kind, key }: FileObject): string => `${kind}/${key}`;

const isClear = ({ isBroken, content }: LoadedFile): boolean =>
  !isBroken && !content.problems.some(({ mayBeTenancy }) => mayBeTenancy);

const withMembers = (members: ReadonlySet<string>): Implied => ({
  workspace: IMPLIED_WORKSPACE,
  place: (object) => (object.inDefaultNamespace && members.has(idOf(object)) ? inNamespace(object, NAME) : object),
});
