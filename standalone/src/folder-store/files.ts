/** The files of a folder, and the objects in them. */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { Place, WriteProblem } from '@gatehouse/operator/management';
import { stringify } from 'yaml';
import {
  codeOf,
  type FolderView,
  type LocatedObject,
  type ResourceFolder,
  signatureOf,
} from '../resource-folder/index.ts';
import { idOf } from './stored-objects.ts';
import { createFile, removeFile, replaceFile } from './write-file.ts';
import { type Edit, editObject, removeObject, UneditableText } from './yaml-edit/index.ts';

/** Undefined: it is done, and what was written is served. */
type Outcome = Promise<WriteProblem | undefined>;

export interface NewFile {
  /** Below the folder; another name is taken where there is such a file. */
  readonly path: readonly string[];
  readonly content: object;
  /** Readable by the owner of the process only. */
  readonly isPrivate: boolean;
}

export interface Files {
  /** By `Kind/namespace/name` or `Kind/name`; Secrets, too. */
  located(id: string): LocatedObject | undefined;
  all(): Iterable<readonly [id: string, located: LocatedObject]>;
  create(place: Place, object: object): Outcome;
  add(file: NewFile): Outcome;
  /** `contended`: somebody else has just written the file. */
  edit(place: Place, edits: readonly Edit[]): Outcome;
  editById(id: string, edits: readonly Edit[]): Outcome;
  remove(id: string): Outcome;
}

interface FilesOptions {
  readonly root: string;
  readonly folder: Pick<ResourceFolder, 'refresh'>;
}

/** Names that are no path: those of Kubernetes. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const MAX_NAMES = 100;
const BYTE_ORDER_MARK = '\ufeff';

export function createFiles({ root, folder }: FilesOptions, view: () => FolderView): Files {
  const located: Files['located'] = (id) => view().located.get(id);
  const shown = (path: string): string => relative(root, path);

  const add = async ({ path, content, isPrivate }: NewFile): Outcome => {
    if (path.some((part) => !NAME.test(part)))
      return { kind: 'forbidden', message: `${path.join('/')} is no name of a file` };
    const text = stringify(content, { lineWidth: 0 });
    for (let i = 1; i <= MAX_NAMES; i += 1) {
      const file = `${join(root, ...path)}${i === 1 ? '' : `-${i}`}.yaml`;
      const made = await createFile(file, text, isPrivate).catch((error: unknown) => unwritable(shown(file), error));
      if (typeof made === 'object') return made;
      if (made) {
        await folder.refresh(new Set([file]));
        return undefined;
      }
    }
    return { kind: 'forbidden', message: `${path.join('/')}: there are ${MAX_NAMES} files of that name already` };
  };

  const change = async (id: string, edit: (text: string, at: LocatedObject) => string | undefined): Outcome => {
    const found = located(id);
    if (found === undefined) return { kind: 'absent' };
    const { file } = found;
    const known = view().files.get(file)?.signature;
    const isOwn = async (): Promise<boolean> => (await signatureOf(file)) === known;
    try {
      const text = await readFile(file, 'utf8');
      const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
      if (!(await isOwn())) return { kind: 'contended' };
      const edited = edit(text.slice(mark.length), found);
      if (!(await isOwn())) return { kind: 'contended' };
      if (edited === undefined) await removeFile(file);
      else await replaceFile(file, mark + edited);
    } catch (error) {
      if (error instanceof UneditableText) return { kind: 'forbidden', message: `${shown(file)}: ${error.message}` };
      return unwritable(shown(file), error);
    } finally {
      await folder.refresh(new Set([file]));
    }
    return undefined;
  };

  const editById: Files['editById'] = (id, edits) =>
    change(id, (text, { object }) => editObject(text, object.at, edits));
  return {
    located,
    all: () => view().located,
    add,
    create: (place, content) => add({ path: pathOf(place), content, isPrivate: false }),
    edit: (place, edits) => editById(idOf(place), edits),
    editById,
    remove: (id) => change(id, (text, { object }) => removeObject(text, object.at)),
  };
}

/** `namespace/kind/name`, as a reader of the repository looks for it. */
function pathOf({ kind, namespace, name }: Place): readonly string[] {
  const folder = toKebab(kind);
  return KINDS[kind].scope === 'Cluster' || namespace === undefined ? [folder, name] : [namespace, folder, name];
}

const toKebab = (kind: KindName): string => kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

/** What the system says about a file; other errors are ours. */
function unwritable(file: string, error: unknown): WriteProblem {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return { kind: 'forbidden', message: `${file} cannot be written (${codeOf(error)})` };
}
