/** Headers that are refused when only saved configs are accepted; docs/behaviour/requests.md. */
import type { ErrorCode } from '@gatehouse/crds/errors';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../../errors/index.ts';
import type { ClientRequest } from '../exchange.ts';
import { aliasOf } from './provider.ts';

const URL_HEADERS: readonly string[] = [
  ...new Set(
    [...PROVIDER_CATALOGUE.values()]
      .flatMap(({ fields, requires }) => fields.filter((field) => field.url || requires[0]?.[0] === field.key))
      .flatMap(({ header }) => (header === undefined ? [] : [header, aliasOf(header) ?? header])),
  ),
];

/** Throws INLINE_* for the first such header. */
export function refuseInline(request: ClientRequest): void {
  const refuse = (code: ErrorCode, header: string): never => {
    throw new AppError(code, { param: header });
  };
  if (request.header('x-gw-config')?.trimStart().startsWith('{')) refuse('INLINE_CONFIG_BLOCKED', 'x-gw-config');
  const provider = request.header('x-gw-provider');
  if (provider !== undefined && !provider.startsWith('@')) refuse('INLINE_PROVIDER_BLOCKED', 'x-gw-provider');
  if (request.header('x-gw-custom-host') !== undefined) refuse('INLINE_CUSTOM_HOST_BLOCKED', 'x-gw-custom-host');
  const url = URL_HEADERS.find((header) => request.header(header) !== undefined);
  if (url !== undefined) refuse('INLINE_PROVIDER_URL_BLOCKED', url);
  if (request.header('x-gw-forward-headers') !== undefined) {
    refuse('INLINE_FORWARD_HEADERS_BLOCKED', 'x-gw-forward-headers');
  }
}
