/** Every other path below `/v1`: sent to the provider as it is, with the provider's credential. */
import { MANAGEMENT_PREFIXES } from '@gatehouse/crds/rest';
import { AppError, errorFormatOfPath } from '../../../errors/index.ts';
import { ANY_BODY, COMPLETIONS, type Operation } from '../operation.ts';
import { refuseOtherMethod } from '../realtime-calls/index.ts';
import { proxiedAs } from './checked-as.ts';
import { PROXY_HANDLER } from './handler.ts';

export const proxy: Operation = {
  id: 'proxy',
  // PATCH is not routed.
  routes: (['GET', 'POST', 'PUT', 'DELETE'] as const).map((method) => ({ method, path: '/v1/*' })),
  scopes: COMPLETIONS,
  bodies: ANY_BODY,
  cacheable: true,
  checkedAs: proxiedAs,
  errors: ({ path }) => errorFormatOfPath(path),
  streamFormat: 'events',
  handler: PROXY_HANDLER,
  refusePath,
};

function refusePath(rest: string): AppError | undefined {
  const [area = ''] = rest.split('/', 1);
  if (MANAGEMENT_PREFIXES.has(area)) {
    return new AppError('ROUTE_UNKNOWN', { detail: `Not Found: /v1/${area} is management, which is not served here` });
  }
  if (area === 'v1') {
    return new AppError('ROUTE_UNKNOWN', {
      detail: 'Not Found: the path begins with /v1/v1; take one /v1 off the base URL (SDKs of Anthropic add their own)',
    });
  }
  return refuseOtherMethod(rest);
}
