/** Where a call is: at a path of the gateway, whatever that of the provider is. */
import { baseOf } from '../../../providers/engine/index.ts';
import type { HeaderMap } from '../../exchange.ts';
import type { ClientAnswer, OperationHandler, ServedCall } from '../handler.ts';

/** The end of a path of a call, at any upstream. */
const CALL = /\/realtime\/calls\/([\w-]{1,256})\/?$/;

/** A `Location` of the upstream that is the path of a call there becomes that here; others, and what else says where answers are, are left out. */
export const withOwnPlaces = (handler: OperationHandler): OperationHandler => ({
  ...handler,
  mapAnswer: (served, answer, json) => atOwnPlace(served, handler.mapAnswer(served, answer, json)),
  mapError: (served, answer) => atOwnPlace(served, handler.mapError(served, answer)),
});

function atOwnPlace({ resolved: { target }, call }: ServedCall, answer: ClientAnswer): ClientAnswer {
  const { location, 'content-location': _, link: __, ...headers } = answer.headers;
  const id = callAt(location, baseOf(target, call).origin);
  return { ...answer, headers: id === undefined ? headers : { ...headers, location: `/v1/realtime/calls/${id}` } };
}

/** Undefined: it is elsewhere, or no call. */
function callAt(location: HeaderMap[string] | undefined, origin: string): string | undefined {
  const url = typeof location === 'string' ? URL.parse(location, origin) : null;
  return url === null || url.origin !== new URL(origin).origin ? undefined : CALL.exec(url.pathname)?.[1];
}
