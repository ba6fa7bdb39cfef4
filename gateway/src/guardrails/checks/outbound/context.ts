/** What services of users are told about a request and its answer. */
import { isCredentialHeader, isHopByHop, isMetadataHeader } from '../../../lib/header-names.ts';
import type { CheckSubject } from '../../contract.ts';

const EVENTS = { input: 'beforeRequestHook', output: 'afterRequestHook' } as const;

/** The body of a call, without the headers of the client. */
export const contextOf = (subject: CheckSubject) => ({
  request: {
    json: subject.request,
    text: subject.requestText(),
    isStreamingRequest: subject.isStream,
    isTransformed: subject.requestTransformed,
  },
  response: {
    json: subject.response ?? {},
    text: subject.responseText(),
    statusCode: subject.responseStatus ?? null,
    isTransformed: subject.responseTransformed,
  },
  provider: subject.provider,
  requestType: subject.requestType,
  metadata: subject.metadata,
  eventType: EVENTS[subject.phase],
});

const OWN_PREFIX = 'x-gw-';
/** Other headers of the gateway may hold credentials, as configs do. */
const OWN_SHOWN: ReadonlySet<string> = new Set(['x-gw-trace-id', 'x-gw-span-id', 'x-gw-request-timeout']);

const isShown = (name: string): boolean =>
  !isCredentialHeader(name) &&
  !isHopByHop(name) &&
  !isMetadataHeader(name) &&
  (!name.startsWith(OWN_PREFIX) || OWN_SHOWN.has(name));

/** The headers of the client that carry no credential and belong to no connection. */
export const headersShown = (subject: Pick<CheckSubject, 'headers'>): Record<string, string> =>
  Object.fromEntries([...subject.headers()].filter(([name]) => isShown(name)));
