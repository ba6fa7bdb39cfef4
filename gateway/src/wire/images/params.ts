/** Parameters of calls that generate images. */
import { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';

/** Units: pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const SIZE = /^(\d{1,5})x(\d{1,5})$/i;

/** Undefined: the provider chooses. Throws AppError PARAMETER_INVALID for a text of another form. */
export function sizeOf({ size }: JsonObject): Size | undefined {
  if (size === undefined || size === null || size === 'auto') return undefined;
  const [, width, height] = typeof size === 'string' ? (SIZE.exec(size) ?? []) : [];
  if (width !== undefined && height !== undefined) return { width: Number(width), height: Number(height) };
  throw new AppError('PARAMETER_INVALID', {
    param: 'size',
    detail: 'size is WIDTHxHEIGHT in pixels, such as 1024x768',
  });
}

/** For providers that answer with whole images alone. Throws AppError PARAMETER_UNSUPPORTED. */
export function refuseStream({ stream }: JsonObject, { provider }: WireContext): void {
  if (stream !== true) return;
  throw new AppError('PARAMETER_UNSUPPORTED', {
    param: 'stream',
    provider,
    detail: `${provider} does not stream images; leave stream out`,
  });
}
