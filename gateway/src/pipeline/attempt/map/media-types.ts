import type { UpstreamResponse } from '../../../upstream/index.ts';

/** Media types of event streams, whatever the vendor frames them in. */
const STREAM_TYPES = [
  'text/event-stream',
  'application/vnd.amazon.eventstream',
  'application/x-ndjson',
  'application/stream+json',
];

export function isEventStream(response: Pick<UpstreamResponse, 'headers'>): boolean {
  return STREAM_TYPES.some((known) => hasType(response, known));
}

/** Whether an error event can be written at the end of the stream. */
export const isServerSent = (response: Pick<UpstreamResponse, 'headers'>): boolean =>
  hasType(response, 'text/event-stream');

export const isJson = (response: Pick<UpstreamResponse, 'headers'>): boolean => hasType(response, 'application/json');

function hasType({ headers }: Pick<UpstreamResponse, 'headers'>, wanted: string): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.toLowerCase().startsWith(wanted);
}
