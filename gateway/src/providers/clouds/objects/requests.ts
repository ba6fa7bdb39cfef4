/** What requests for objects and jobs of clouds have in common. */

import { AppError } from '../../../errors/index.ts';
import { percentEncoded } from '../../../lib/percent-encode.ts';
import { textAt } from '../../../wire/json/json.ts';
import type { Call, JsonObject } from '../../contract.ts';
import type { ObjectPlace } from './object-place.ts';

/** `/BUCKET/KEY`, the slashes of the key kept. */
export const objectPath = ({ bucket, key }: ObjectPlace): string =>
  `/${bucket}/${key.split('/').map(percentEncoded).join('/')}`;

/** A member that has to be there. Throws PARAMETER_INVALID. */
export function required(params: JsonObject, param: string): string {
  const text = textAt(params, param);
  if (text !== undefined && text !== '') return text;
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} is missing` });
}

/** Only the owner of a stored credential sets it. */
export const refuseSetting = (param: string, { provider }: Call): AppError =>
  new AppError('ACCOUNT_SETTING_REFUSED', {
    param,
    provider,
    detail: `${param} decides what a stored credential reaches: it belongs into the resource of the account`,
  });

export const outputMissing = ({ provider }: Call, status: string): AppError =>
  new AppError('BATCH_OUTPUT_MISSING', { provider, detail: `The batch has no output (${status.slice(0, 32)})` });

/** One value of a header. */
export const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
