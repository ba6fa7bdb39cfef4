/** Calls for files of the gateway's own: docs/behaviour/managed-batches.md#files. */
import type { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { newId } from '../../lib/random.ts';
import type { ObjectStore } from '../../object-storage/index.ts';
import type { LocalAnswer, ResolvedRequest } from '../../pipeline/index.ts';
import type { JobStore } from '../job-store.ts';
import type { StoredFile } from '../records.ts';
import type { BatchSettings } from '../settings.ts';
import { jsonAnswer, streamAnswer } from './answers.ts';
import { fileObject, listObject } from './objects.ts';
import { pageOf } from './query.ts';
import { readUpload } from './upload.ts';

export interface StorePorts {
  readonly settings: BatchSettings;
  readonly objects: ObjectStore;
  readonly jobs: JobStore;
  /** Unix time in ms. */
  now(): number;
}

/** Random: nobody can guess another one. */
export const ID_LENGTH = 32;

export const objectKey = ({ workspace, id }: Pick<StoredFile, 'workspace' | 'id'>): string => `${workspace}/${id}`;

export async function createFile(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const { settings, objects, jobs, now } = ports;
  const { exchange, caller, resolution } = request;
  const { body } = resolution;
  if (body.kind !== 'form') {
    throw new AppError('BODY_NOT_FORM', {
      param: 'content-type',
      detail: 'A file is sent as multipart/form-data, with the fields purpose and file',
    });
  }
  const createdAt = now();
  const pending: StoredFile = {
    id: newId('gw_file_', ID_LENGTH),
    workspace: caller.workspace.name,
    filename: '',
    purpose: 'batch',
    bytes: 0,
    createdAt,
    expiresAt: createdAt + settings.retentionMs,
    status: 'pending',
  };
  if (!(await jobs.addFile(pending, settings.maxFiles))) {
    throw new AppError('FILE_LIMIT_REACHED', {
      detail: `The workspace has ${settings.maxFiles} files (GATEHOUSE_BATCH_MAX_FILES); delete some of them`,
    });
  }
  try {
    const upload = await readUpload(body, {
      maxBytes: settings.maxFileBytes,
      store: (content) => objects.put(objectKey(pending), content, { signal: exchange.signal }),
    });
    const lifetimeMs = Math.min(upload.lifetimeMs ?? settings.retentionMs, settings.retentionMs);
    const { filename, bytes } = upload;
    const file: StoredFile = { ...pending, filename, bytes, status: 'processed', expiresAt: createdAt + lifetimeMs };
    await jobs.completeFile(file);
    return jsonAnswer(fileObject(file));
  } catch (error) {
    await discard(ports, pending);
    throw error;
  }
}

/** What cannot be removed now is removed when it is stale. */
async function discard({ objects, jobs }: StorePorts, file: StoredFile): Promise<void> {
  try {
    await objects.delete(objectKey(file));
    await jobs.removeFile(file.workspace, file.id);
  } catch {
    // The store is away: its failure is what the client learns, or the form's own.
  }
}

export async function listFiles({ jobs }: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const page = pageOf(request, ['purpose', 'limit', 'order', 'after']);
  const { items, hasMore } = await jobs.files(request.caller.workspace.name, page);
  const ids = items.map(({ id }) => id);
  return jsonAnswer(listObject(items.map(fileObject), ids, hasMore));
}

export async function getFile(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  return jsonAnswer(fileObject(await fileOf(ports, request)));
}

export async function getFileContent(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  return contentOf(ports, await fileOf(ports, request));
}

export async function contentOf(ports: StorePorts, file: StoredFile): Promise<LocalAnswer> {
  return streamAnswer(await openContent(ports, file), file);
}

/** Throws FILE_UNKNOWN. */
export async function openContent({ objects }: StorePorts, file: StoredFile): Promise<Readable> {
  const content = await objects.get(objectKey(file));
  if (content !== undefined) return content;
  throw new AppError('FILE_UNKNOWN', { detail: `The content of the file ${file.id} is gone` });
}

export async function deleteFile(ports: StorePorts, request: ResolvedRequest): Promise<LocalAnswer> {
  const file = await fileOf(ports, request);
  await ports.objects.delete(objectKey(file));
  await ports.jobs.removeFile(file.workspace, file.id);
  return jsonAnswer({ id: file.id, object: 'file', deleted: true });
}

function fileOf(ports: StorePorts, { exchange, caller }: ResolvedRequest): Promise<StoredFile> {
  return findFile(ports, caller.workspace.name, decodeURIComponent(exchange.request.route['file_id'] ?? ''));
}

/** Throws FILE_UNKNOWN. */
export async function findFile({ jobs }: StorePorts, workspace: string, id: string): Promise<StoredFile> {
  const file = await jobs.file(workspace, id);
  if (file === undefined) {
    throw new AppError('FILE_UNKNOWN', {
      detail: `The workspace ${workspace} has no file with this id; ids of the gateway's own files begin with gw_file_`,
    });
  }
  return file;
}
