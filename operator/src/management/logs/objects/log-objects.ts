/** The store of documents that variables name: docs/behaviour/request-logs.md#a-store-of-documents */
import { err, ok, type Result } from '@gatehouse/crds';
import { type LogStoreKind, logBucketOf, unusedRoleOf } from '@gatehouse/crds/logs';
import type { LogObjects } from '../documents.ts';
import { createBucketObjects, type LogBucketPorts } from './bucket-objects.ts';
import { createFolderObjects } from './folder-objects.ts';

export interface LogObjectSettings {
  readonly kind: LogStoreKind;
  readonly bucket: string | undefined;
  readonly region: string | undefined;
  readonly basePath: string | undefined;
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
  readonly accessKey: string | undefined;
  readonly secretKey: string | undefined;
  readonly folder: string | undefined;
  /** Certificate authorities of the store as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

/** Undefined: documents are in the database. An error begins with the variable and never repeats a value. */
export function openLogObjects(
  { kind, folder, accessKey, secretKey, roleArn, externalId, ca, ...given }: LogObjectSettings,
  { openIdentity, now }: LogBucketPorts,
): Result<LogObjects | undefined, string> {
  if (kind === 'control_plane' || kind === 'folder') {
    const unused = unusedRoleOf({ roleArn, externalId });
    if (unused !== undefined) return err(unused);
    if (kind === 'control_plane') return ok(undefined);
    return folder === undefined
      ? err('GATEHOUSE_LOGS_DIR: is required with LOG_STORE=folder')
      : ok(createFolderObjects(folder));
  }
  const bucket = logBucketOf({ kind, ...given, roleArn, externalId });
  if (!bucket.ok) return err(bucket.error);
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    return err('LOG_STORE_CA: expected certificates as PEM');
  }
  if ((accessKey === undefined) !== (secretKey === undefined)) {
    return err('LOG_STORE_ACCESS_KEY and LOG_STORE_SECRET_KEY go together');
  }
  const keys =
    accessKey === undefined || secretKey === undefined
      ? undefined
      : { accessKeyId: accessKey, secretAccessKey: secretKey };
  return ok(createBucketObjects({ ...bucket.value, keys }, { openIdentity, now, ca }));
}
