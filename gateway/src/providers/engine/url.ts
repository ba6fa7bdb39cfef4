import { AppError } from '../../errors/index.ts';
import { hasDotSegments } from '../../lib/request-target.ts';

/** A parsed base URL. */
export interface Base {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path without a slash at the end. */
  readonly prefix: string;
}

/** Parses a base URL; undefined when it is not one. */
export function splitBase(url: string): Base | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === '') return undefined;
  return { origin: `${parsed.protocol}//${parsed.host}`, prefix: parsed.pathname.replace(/\/+$/, '') };
}

/** Characters of a path that need no encoding: RFC 3986 pchar, slash, and the percent sign of encoded ones. */
const PATH_SAFE = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/%]*$/;
const HOST_LABEL = /^[A-Za-z0-9._-]+$/;

/** A value as part of a path, slashes kept; errors name `name`. */
export function pathText(value: string, name: string): string {
  refuseDotSegments(value, name);
  if (PATH_SAFE.test(value)) return value;
  return percentEncode(value, encodeURI, name).replace(/[?#]/g, encodeURIComponent);
}

/** A value as one segment of a path. */
export function pathSegment(value: string, name: string): string {
  refuseDotSegments(value, name);
  return percentEncode(value, encodeURIComponent, name);
}

/** A value inside the host of a base URL; anything but a label could lead to another host. */
export function hostText(value: string, name: string): string {
  if (HOST_LABEL.test(value)) return value;
  throw invalid(name, 'only letters, digits, dots, dashes and underscores');
}

/** Refuses dot segments, which could leave the base URL together with the credential. */
export function refuseDotSegments(path: string, name: string): void {
  if (hasDotSegments(path)) throw invalid(name, 'no . or .. segments');
}

function percentEncode(value: string, encode: (text: string) => string, name: string): string {
  try {
    return encode(value);
  } catch {
    throw invalid(name, 'no lone surrogates');
  }
}

const invalid = (name: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { detail: `${name} may contain ${rule}`, param: name });
