/** Requests to Cloud Storage with the credential of the account. Source: Cloud Storage JSON API reference. */
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { gcpOAuth } from '../../clouds/gcp/index.ts';
import type { ObjectPlace, StoreRules } from '../../clouds/objects/index.ts';
import type { Call, ProcedureRequest } from '../../contract.ts';

export const GCS: StoreRules = {
  scheme: 'gs',
  bucketField: 'vertex_storage_bucket_name',
  bucketHeader: 'x-gw-vertex-storage-bucket-name',
  prefixes: ['x-gw-vertex-', 'x-gw-cloud-b-'],
  bucketName: /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
};

export const gcsAuth = gcpOAuth();

/** A custom host replaces all hosts of the cloud. */
const baseOf = ({ fields }: Call): string =>
  fields.text('custom_host')?.replace(/\/+$/, '') ?? 'https://storage.googleapis.com';

export const objectUrl = (call: Call, { bucket, key }: ObjectPlace): string =>
  `${baseOf(call)}/storage/v1/b/${bucket}/o/${percentEncoded(key)}`;

export const uploadUrl = (call: Call, { bucket, key }: ObjectPlace): string =>
  `${baseOf(call)}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=${percentEncoded(key)}`;

export const contentRequest = (call: Call, place: ObjectPlace): ProcedureRequest => ({
  method: 'GET',
  url: `${objectUrl(call, place)}?alt=media`,
  auth: gcsAuth,
});
