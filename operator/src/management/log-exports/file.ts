/** The file of an export, part by part. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ExportRow } from '@gatehouse/crds/logs';
import { RestError } from '../http/rest-error.ts';
import type { ExportJobs } from './jobs.ts';

const unpack = promisify(gunzip);

/** One part is in memory. Throws when the export goes while it is read: the file has no end then. */
export async function* readFile(
  { id, parts }: Pick<ExportRow, 'id' | 'parts'>,
  jobs: ExportJobs,
): AsyncGenerator<Buffer> {
  for (let part = 0; part < parts; part += 1) {
    const content = await jobs.part(id, part);
    if (content === undefined) throw new RestError('ABSENT', { message: 'The export is gone' });
    yield await unpack(content);
  }
}
