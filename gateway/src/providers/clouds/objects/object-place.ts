/** Objects in buckets: what a call may name, and ids for clients. */

import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import type { Call } from '../../contract.ts';
import { fieldMissing } from '../../engine/index.ts';
import { repeatedlyDecoded } from './job-id.ts';

export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** What differs between the stores of clouds. */
export interface StoreRules {
  /** Of URIs: `s3`. */
  readonly scheme: string;
  /** The field of an account that names its bucket. */
  readonly bucketField: string;
  readonly bucketHeader: string;
  /** What headers of the cloud begin with, in both spellings. */
  readonly prefixes: readonly [string, string];
  readonly bucketName: RegExp;
}

/** Bytes of UTF-8. Source: S3 and GCS, names of objects. */
const MAX_KEY_BYTES = 1_024;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The bucket of uploads. Throws PROVIDER_FIELD_MISSING, PARAMETER_INVALID or ACCOUNT_SETTING_REFUSED. */
export function bucketOf(call: Call, rules: StoreRules): string {
  const { fields, provider } = call;
  const { bucketField, bucketHeader, prefixes } = rules;
  const bucket = fields.text(bucketField);
  if (bucket === undefined) throw fieldMissing(provider, bucketField);
  for (const header of [bucketHeader, bucketHeader.replace(...prefixes)]) {
    const named = call.header(header)?.trim();
    if (named !== undefined && named !== '') return checkBucket(named, header, { call, rules });
  }
  return checkBucket(bucket, bucketField, { call, rules });
}

/** A stored credential reaches the bucket of its account alone. Throws PARAMETER_INVALID or ACCOUNT_SETTING_REFUSED. */
export function checkBucket(
  bucket: string,
  param: string,
  { call, rules }: { readonly call: Call; readonly rules: StoreRules },
): string {
  if (!rules.bucketName.test(bucket) || bucket.includes('..')) {
    throw invalid(param, 'does not name a bucket');
  }
  if (call.stored !== true) return bucket;
  const own = call.fields.text(rules.bucketField);
  if (own === undefined) throw fieldMissing(call.provider, rules.bucketField);
  if (bucket === own) return bucket;
  throw new AppError('ACCOUNT_SETTING_REFUSED', {
    param,
    provider: call.provider,
    detail: `${param} names a bucket that is not ${rules.bucketField} of the account`,
  });
}

/** Throws PARAMETER_INVALID for what is no name of one object, whoever reads it. */
export function checkKey(key: string, param: string): string {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES || !key.isWellFormed() || CONTROLS.test(key)) {
    throw invalid(param, `names an object of 1 to ${MAX_KEY_BYTES} bytes without control characters`);
  }
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw invalid(param, 'names an object without empty, . and .. parts');
  }
  return key;
}

interface Naming {
  readonly call: Call;
  readonly rules: StoreRules;
  readonly param: string;
}

/** The object of an id, or of its URI. Throws PARAMETER_INVALID or ACCOUNT_SETTING_REFUSED. */
export function parseObject(text: string, naming: Naming): ObjectPlace {
  const { bucket, rest } = parseUri(text, naming);
  return { bucket, key: checkKey(rest, naming.param) };
}

/** The place below which objects are, as a URI that ends with a slash. Throws as above. */
export function parsePrefix(text: string, naming: Naming): string {
  const { bucket, rest } = parseUri(text, naming);
  const folder = rest.replace(/\/$/, '');
  return objectUri(naming.rules, { bucket, key: folder === '' ? '' : `${checkKey(folder, naming.param)}/` });
}

function parseUri(text: string, { call, rules, param }: Naming): { readonly bucket: string; readonly rest: string } {
  const start = `${rules.scheme}://`;
  const uri = repeatedlyDecoded(text, (given) => given.startsWith(start));
  if (uri === undefined) throw invalid(param, `must be the id of a file: ${start}BUCKET/OBJECT, percent-encoded`);
  const path = uri.slice(start.length);
  const slash = path.indexOf('/');
  const bucket = slash < 0 ? path : path.slice(0, slash);
  return { bucket: checkBucket(bucket, param, { call, rules }), rest: slash < 0 ? '' : path.slice(slash + 1) };
}

export const objectUri = ({ scheme }: Pick<StoreRules, 'scheme'>, { bucket, key }: ObjectPlace): string =>
  `${scheme}://${bucket}/${key}`;

export const objectId = (rules: Pick<StoreRules, 'scheme'>, place: ObjectPlace): string =>
  percentEncoded(objectUri(rules, place));

/** Of an object: the URI of what is in front of its last slash, with it. */
export const folderOf = (rules: Pick<StoreRules, 'scheme'>, { bucket, key }: ObjectPlace): string =>
  objectUri(rules, { bucket, key: key.slice(0, key.lastIndexOf('/') + 1) });

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
